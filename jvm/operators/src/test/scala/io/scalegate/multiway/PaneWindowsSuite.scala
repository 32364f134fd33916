package io.scalegate.multiway

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.multiway.function.{AggregateFunction, Invertible}
import io.scalegate.stream.SlidingWindows

/** The windows of one key from its panes, against all windows that a sequence of panes has. */
class PaneWindowsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 400)

  /** Texts in their order, and how often two were merged. */
  private class Texts extends AggregateFunction[String, StringBuilder, String] {
    var merges = 0
    def name = "texts"
    override def isOrderSensitive = true
    def create() = new StringBuilder
    def add(s: StringBuilder, t: String): StringBuilder = s.append(t)
    def merge(a: StringBuilder, b: StringBuilder): StringBuilder = {
      merges += 1
      a.append(b.toString)
    }
    def result(s: StringBuilder): String = s.toString
  }

  /** Texts whose beginning can be cut off. */
  final private class CutTexts extends Texts with Invertible[StringBuilder] {
    var cuts = 0
    def subtract(s: StringBuilder, b: StringBuilder): StringBuilder = {
      cuts += 1
      assert(s.startsWith(b.toString))
      s.delete(0, b.length)
    }
  }

  private val windows: Gen[SlidingWindows] =
    Gen.zip(Gen.choose(1L, 12L), Gen.choose(1L, 12L)).map { case (s, a) => SlidingWindows(s, a) }

  private val numbers: Gen[Vector[Long]] = Gen.zip(
    Gen.oneOf(-20L, 0L, Long.MinValue / 2, Long.MaxValue - 500),
    Gen.listOf(Gen.choose(1L, 9L))
  ).map { case (from, gaps) => gaps.take(30).scanLeft(from)(_ + _).toVector }

  private def panesOf(w: SlidingWindows, times: Vector[Long]): Vector[Long] =
    times.map(t => w.paneOf(t) * w.pane).distinct

  /** Each window with a pane: its start, and the panes in it. */
  private def defined(w: SlidingWindows, panes: Vector[Long]): Vector[(Long, String)] = {
    val starts = for {
      p <- panes
      i <- 0L until w.count(p)
    } yield w.first(p) + i * w.advance
    starts.distinct.sorted.map { s =>
      s -> panes.filter(p => s <= p && p <= w.end(s)).map(p => s"<$p>").mkString
    }
  }

  private def run(
      w: SlidingWindows,
      panes: Vector[Long],
      texts: Texts
  ): Vector[(Long, String)] = {
    val sliding = new PaneWindows[StringBuilder, String](w, texts)
    val results = Vector.newBuilder[(Long, String)]
    def take(): Unit = results += sliding.nextStart -> sliding.take()
    panes.foreach { p =>
      while (!sliding.isEmpty && w.end(sliding.nextStart) < p) take()
      sliding.add(p, new StringBuilder(s"<$p>"))
    }
    while (!sliding.isEmpty) take()
    results.result()
  }

  test("every window with a pane comes once, with its panes in their order, by two stacks") {
    forAll(windows, numbers) { (w, times) =>
      val panes = panesOf(w, times)
      assert(run(w, panes, new Texts) == defined(w, panes))
    }
  }

  test("every window with a pane comes once, with its panes in their order, by the inverse") {
    forAll(windows, numbers) { (w, times) =>
      val panes = panesOf(w, times)
      assert(run(w, panes, new CutTexts) == defined(w, panes))
    }
  }

  test("the last windows before the end of time come, and those of the first times") {
    val w = SlidingWindows(10, 5)
    for (texts <- Seq(new Texts, new CutTexts)) {
      val panes =
        Vector(Long.MinValue + 3, Long.MinValue + 8, Long.MaxValue - 7, Long.MaxValue - 2)
      assert(run(w, panes, texts) == defined(w, panes))
    }
  }

  test("a window costs a few merges, however many panes it has") {
    for (overlap <- Seq(10L, 100L, 1000L)) {
      val w = SlidingWindows(overlap, 1)
      val panes = (0L until 5000L).toVector
      val stacks = new Texts
      run(w, panes, stacks)
      assert(stacks.merges <= 4 * (panes.size + overlap), "two stacks")
      val inverse = new CutTexts
      run(w, panes, inverse)
      assert(inverse.merges + inverse.cuts <= 2 * panes.size, "by the inverse")
    }
  }
}
