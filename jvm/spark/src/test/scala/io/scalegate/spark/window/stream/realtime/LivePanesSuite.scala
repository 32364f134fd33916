package io.scalegate.spark.window.stream.realtime

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{Final, Sum}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.{BinaryType, DataType, LongType, StructType, TimestampType}
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.Sample
import io.scalegate.spark.settings.WindowEmission
import io.scalegate.spark.window.SlidingWindow
import io.scalegate.spark.window.partial.{PaneFunctions, PanePartials}
import io.scalegate.spark.window.slide.{PaneColumns, PaneWindowsTask}
import io.scalegate.spark.window.stream.PaneStore

/** Sums over windows whose panes come in any order, late ones too, against the sums of a map; with the state written,
  * and read again, in between.
  */
final class LivePanesSuite extends AnyFunSuite {
  private val key = AttributeReference("k", LongType)()
  private val window: Attribute = AttributeReference(
    "w",
    new StructType().add("start", TimestampType).add("end", TimestampType)
  )()
  private val sum =
    Sum(AttributeReference("v", LongType)()).toAggregateExpression().copy(mode = Final)
  private val functions =
    PaneFunctions(Seq(key, window), Seq(sum), Seq(key, window, sum.resultAttribute))
  private val rowOf = UnsafeProjection.create(Array[DataType](LongType))

  private def row(value: Long) = rowOf(InternalRow(value))

  private def task(by: SlidingWindow, packed: Option[Int]) = {
    val pane = AttributeReference("pane", LongType, nullable = false)()
    val values =
      if (packed.isEmpty) functions.partial
      else Seq(AttributeReference("results", BinaryType, nullable = false)())
    PaneWindowsTask(
      by,
      PaneColumns(Seq(key, pane) ++ values, packed),
      Seq(key),
      window,
      functions,
      None
    )
  }

  final private class MapStore extends PaneStore {
    private[this] val rows = mutable.Map.empty[UnsafeRow, UnsafeRow]
    def get(key: UnsafeRow): UnsafeRow = rows.getOrElse(key, null)
    def put(key: UnsafeRow, value: UnsafeRow): Unit = rows(key.copy()) = value.copy()
    def remove(key: UnsafeRow): Unit = { rows.remove(key); () }
    def all: Iterator[(UnsafeRow, UnsafeRow)] = rows.toVector.iterator
    def size: Int = rows.size
  }

  /** What is there of keys and panes, and what is to be given of it. */
  final private class Model(by: SlidingWindow) {
    private[this] val panes = mutable.Map.empty[(Long, Long), Long]
    private[this] val touched = mutable.Set.empty[(Long, Long)]
    var reached = Long.MinValue
    var dropped = 0L

    def add(key: Long, pane: Long, value: Long): Unit =
      if (by.endOf(by.last(pane)) <= reached) dropped += 1
      else {
        panes((key, pane)) = panes.getOrElse((key, pane), 0L) + value
        touched += ((key, pane))
      }

    private[this] def windowsOf(pane: Long) =
      Iterator.iterate(by.first(pane))(_ + by.slide).takeWhile(_ <= by.last(pane))

    private[this] def sums(wanted: Set[(Long, Long)]) =
      panes.toSeq.flatMap { case ((k, p), v) => windowsOf(p).map(w => (w, k) -> v) }
        .filter(f => wanted(f._1)).groupMapReduce(_._1)(_._2)(_ + _)

    def through(time: Long): Map[(Long, Long), Long] = {
      val found = panes.keys.flatMap { case (k, p) => windowsOf(p).map(w => (w, k)) }
        .filter { case (w, _) => w + by.size > reached && w + by.size <= time }.toSet
      val result = sums(found)
      close(time)
      result
    }

    def changed(time: Long): Map[(Long, Long), Long] = {
      val found = touched.flatMap { case (k, p) => windowsOf(p).map(w => (w, k)) }
        .filter { case (w, _) => w + by.size > reached }.toSet
      val result = sums(found)
      close(time)
      result
    }

    private[this] def close(time: Long): Unit = {
      reached = math.max(reached, time)
      touched.clear()
      panes.keys.toSeq.filter(f => by.last(f._2) + by.size <= reached).foreach(panes.remove)
    }

    def rows: Int = panes.size
  }

  for (emission <- WindowEmission.all; packed <- Seq(None, Some(0), Some(2), Some(6)))
    test(
      s"windows of panes in any order, $emission, ${packed.fold("a row each")(b => s"${1 << b} in a row")}"
    ) {
      for (seed <- 1 to Sample.cases(20)) check(emission, packed, seed.toLong)
    }

  private def check(emission: WindowEmission, packed: Option[Int], seed: Long): Unit = {
    val random = new Random(seed)
    val slide = 1L + random.nextInt(5)
    val by = SlidingWindow(slide + random.nextInt(30), slide, random.nextInt(3).toLong)
    val of = task(by, packed)
    val partials = PanePartials(0, functions)
    val store = new MapStore
    val model = new Model(by)
    def made(reached: Long) = {
      val panes = new LivePanes(0, of, partials, emission, reached)
      HeldPanes(of, partials, store).read(panes)
      panes
    }
    var panes = made(Long.MinValue)
    var dropped = 0L
    var now = random.nextInt(50).toLong - 25
    for (step <- 1 to 60) {
      for (_ <- 0 until random.nextInt(6)) {
        val at = by.pane(now + random.nextInt(20) - random.nextInt(25))
        val (k, v) = (random.nextInt(3).toLong, random.nextInt(100).toLong)
        model.add(k, at, v)
        panes.add(row(k).copy(), at, row(v).copy(), isChange = true)
      }
      now += random.nextInt(8).toLong
      val time = now - random.nextInt(12)
      panes.reach(time)
      val found = Iterator.continually(panes.advance()).takeWhile(identity).map { _ =>
        val window = panes.row.getStruct(1, 2)
        assert(window.getLong(1) == window.getLong(0) + by.size)
        ((window.getLong(0), panes.row.getLong(0)), panes.row.getLong(2))
      }.toVector
      val expected =
        if (emission == WindowEmission.Final) model.through(time) else model.changed(time)
      assert(
        found.toMap == expected && found.size == expected.size,
        s"seed $seed, step $step, $by"
      )
      if (emission == WindowEmission.Final)
        assert(found.map(_._1._1) == found.map(_._1._1).sorted, s"seed $seed")
      assert(
        panes.reached == model.reached && panes.paneCount == model.rows,
        s"seed $seed, step $step"
      )
      if (random.nextInt(5) == 0) {
        HeldPanes(of, partials, store).write(panes)
        if (packed.isEmpty) assert(store.size == model.rows)
        dropped += panes.dropped
        panes = made(panes.reached)
        assert(panes.paneCount == model.rows, s"seed $seed, step $step")
      }
    }
    assert(dropped + panes.dropped == model.dropped)
    panes.reach(1000)
    while (panes.advance()) ()
    HeldPanes(of, partials, store).write(panes)
    assert(panes.paneCount == 0 && panes.size == 0 && store.size == 0, s"seed $seed")
  }
}
