package io.scalegate.spark.join.stream.hotkeys

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.Row

import io.scalegate.spark.join.stream.state.StateReader
import io.scalegate.spark.join.stream.{Event, StreamingJoinSuite}
import io.scalegate.spark.settings.ScaleGateConf

/** Streaming joins one of whose keys has a third of the rows. */
final class StreamingHotKeysSuite extends StreamingJoinSuite {
  private val within = "r.ts BETWEEN l.ts - INTERVAL 0.02 SECOND AND l.ts + INTERVAL 0.01 SECOND"
  private val batchMillis = 5000L
  private val hotKey = 7

  /** Of two batches of so many rows on each side the driver learns which keys are hot. */
  private val Many = 2300
  private val Few = 250

  /** The rows of one side in one batch: many have the hot key, and some none. */
  private def rows(batch: Int, side: Int, count: Int = Many): Seq[Event] = {
    val random = new Random(100L * batch + side)
    Seq.tabulate(count) { i =>
      val at = (batch + 1) * batchMillis + i * batchMillis / count
      val key = random.nextInt(20) match {
        case 0 => None
        case n if n < 8 => Some(hotKey)
        case _ => Some(100 + random.nextInt(500))
      }
      Event(new java.sql.Timestamp(at), key, Some(i % 7), batch * 100000L + i)
    }
  }

  private val sentinel = Seq(Event(1000000L, -1, 0, -1L))

  private def joined(joinType: String, on: String = within) = {
    val columns =
      if (Seq("SEMI", "ANTI").exists(joinType.contains)) "l.id" else "l.id AS a, r.id AS b"
    s"SELECT $columns FROM l $joinType JOIN r ON $on AND l.k = r.k"
  }

  /** By the same window in numbers, which plain Spark tests sooner: of a hot key it asks for every two rows. */
  private def atRest(joinType: String, l: Seq[Event], r: Seq[Event]): Seq[String] = batchResult(
    joined(joinType, "unix_micros(r.ts) - unix_micros(l.ts) BETWEEN -20000 AND 10000"),
    l,
    r
  )

  /** The rows are too many to be shown. */
  private def assertSame(got: Seq[String], expected: Seq[String]): Unit = {
    val (missing, surplus) = (expected.diff(got).take(5), got.diff(expected).take(5))
    assert(missing.isEmpty && surplus.isEmpty)
    ()
  }

  /** What the checkpoint says after the last batch. */
  private def table(checkpoint: Path): HotKeys = {
    val directory = checkpoint.resolve("state/0/_scalegate/splits")
    if (!Files.exists(directory)) HotKeys.none
    else {
      val files = Files.list(directory).iterator.asScala.toSeq
        .filter(_.getFileName.toString.forall(_.isDigit))
      HotKeys.parsed(Files.readString(files.maxBy(_.getFileName.toString.toInt)))
    }
  }

  private def phases(hot: HotKeys) = hot.keys.values.flatten.map(_.phase).toSeq

  // An inner join is that of a key which is hot no more, below.
  private val joinTypes =
    if (isSoak) Seq("INNER", "LEFT", "RIGHT", "LEFT SEMI", "LEFT ANTI")
    else Seq("RIGHT", "LEFT ANTI")

  for (joinType <- joinTypes)
    test(
      s"$joinType join: a hot key is shared, through failures and restarts, and the rows are those of the batch join"
    ) {
      def few(side: Int) = (0 to 8).map(b => rows(b, side, if (b < 2) Many else Few))
      val (ls, rs) = (few(0), few(1))
      val run = new Running(joined(joinType)).start()
      def add(batch: Int) = run.add(ls(batch), rs(batch))
      try {
        add(0)
        assert(run.metric("hotKeys") == 0 && table(run.checkpoint) == HotKeys.none)
        (1 to 4).foreach(add)
        assert(phases(table(run.checkpoint)) == Seq(Replica.Serving))
        assert(run.metric("hotKeys") == 1)
        run.stop().start()
        add(5)
        assert(run.metric("hotKeys") == 1, "the table is that of the checkpoint")
        run.failNext()
        run.fails(ls(6), rs(6))
        run.start()
        Seq(7, 8).foreach(add)
        run.add(sentinel, sentinel)
        val (l, r) = (ls.flatten ++ sentinel, rs.flatten ++ sentinel)
        assertSame(run.all, atRest(joinType, l, r))
      } finally run.stop()
    }

  test("both partitions hold a share of a hot key's rows") {
    val run = new Running(joined("LEFT"), delay = "4 seconds").start()
    try
      for (batch <- 0 to 4) run.add(rows(batch, 0), rows(batch, 1))
    finally run.stop()
    def held(side: String): Map[Int, Seq[Row]] = {
      val rows = StateReader.read(spark, run.checkpoint.toString, side, 0)
        .where(s"k = $hotKey").collect().toSeq
      rows.filter(_.getLong(1) == rows.map(_.getLong(1)).max).groupBy(_.getInt(0))
    }
    val (left, right) = (held("left"), held("right"))
    assert(left.size == 2 && left.values.flatten.toSet.size == left.values.flatten.size)
    def ids(rows: Seq[Row]) = rows.map(_.getAs[Long]("id")).sorted
    assert(right.size == 2 && ids(right(0)) == ids(right(1)), "the other side's are copied")
  }

  test(
    "a key that is hot no more goes back to its home, and so do all when splitting is turned off"
  ) {
    def evenly(batch: Int, side: Int) = {
      val random = new Random(batch.toLong)
      rows(batch, side).map(e => e.copy(k = Some(1000 + random.nextInt(900))))
    }
    val run = new Running(joined("INNER")).start()
    val l, r = Seq.newBuilder[Event]
    def add(some: (Seq[Event], Seq[Event])) = {
      l ++= some._1
      r ++= some._2
      run.add(some._1, some._2)
    }
    def hot(batch: Int, count: Int) = (rows(batch, 0, count), rows(batch, 1, count))
    try {
      for (batch <- 0 to 2) add(hot(batch, if (batch < 2) Many else Few))
      assert(table(run.checkpoint).keys.size == 1)
      for (batch <- 3 to 9) add((evenly(batch, 0), evenly(batch, 1)))
      assert(table(run.checkpoint).keys.isEmpty)
      for (batch <- 10 to 13) add(hot(batch, Many))
      assert(table(run.checkpoint).keys.size == 1)
      run.stop()
      withSettings(ScaleGateConf.SplitHotKeys -> "false") {
        run.start()
        for (batch <- 14 to 17) add(hot(batch, Few))
      }
      assert(table(run.checkpoint).keys.isEmpty && run.metric("hotKeys") == 0)
      assertSame(run.all, atRest("INNER", l.result(), r.result()))
    } finally run.stop()
  }

  test("no key is shared while no partition has more than the setting leaves alone") {
    val run = new Running(joined("INNER"))
    withSettings(ScaleGateConf.HotKeyTheta -> "100") {
      run.start()
      try for (batch <- 0 to 3) run.add(rows(batch, 0, Many / 2), rows(batch, 1, Many / 2))
      finally run.stop()
      assert(table(run.checkpoint).keys.isEmpty)
    }
  }

  test("a file of hot keys that cannot be read is named") {
    val run = new Running(joined("INNER")).start()
    for (batch <- 0 to 3) {
      val count = if (batch < 2) Many else Few
      run.add(rows(batch, 0, count), rows(batch, 1, count))
    }
    run.stop()
    val directory = run.checkpoint.resolve("state/0/_scalegate/splits")
    for (file <- Files.list(directory).iterator.asScala.toSeq) Files.delete(file)
    Files.writeString(directory.resolve("1"), "v1\nleft\n7 1 serving soon\n")
    run.start()
    val message = run.fails(rows(4, 0, Few), rows(4, 1, Few)).getMessage
    assert(message.contains("splits/1") && message.contains("7 1 serving soon"))
  }
}
