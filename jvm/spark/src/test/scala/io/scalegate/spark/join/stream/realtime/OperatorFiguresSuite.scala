package io.scalegate.spark.join.stream.realtime

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.stream.{Side, Sides}

/** What tasks tell of themselves, as it is brought together. */
final class OperatorFiguresSuite extends AnyFunSuite {
  private def latencies(micros: Long*): Array[Byte] = {
    val all = new Latencies
    micros.foreach(all.record)
    all.encoded
  }

  private def told(partition: Int, batch: Long, at: Long, rows: Long, sources: SourceFigures*) =
    TaskFigures(
      partition,
      batch,
      0L,
      at,
      Sides(rows, 0L),
      0L,
      0L,
      0L,
      latencies(),
      latencies(),
      0L,
      0L,
      Long.MinValue,
      Sides(sources, Nil)
    )

  private def accumulated(told: TaskFigures*): FiguresAccumulator = {
    val all = new FiguresAccumulator("run", 0L, "windowJoin")
    told.foreach(all.add)
    all
  }

  test("percentiles of several tasks are those of all their rows") {
    val all = Latencies.percentiles(Seq(
      latencies(1 to 90 map (_.toLong): _*),
      latencies(Seq.fill(10)(5000L): _*)
    ))
    val expected = Seq(50.0, 90.0, 5000.0, 5000.0)
    assert(all.get.zip(expected).forall { case (found, of) => math.abs(found - of) <= of / 100 })
  }

  test("of nothing there are no percentiles, and what is out of range counts as its ends") {
    assert(Latencies.percentiles(Seq(latencies(), latencies())).isEmpty)
    assert(Latencies.percentiles(Seq(latencies(-5L))).get.forall(_ == 0))
    val long = Latencies.percentiles(Seq(latencies(Long.MaxValue)))
    assert(long.get.forall(micros => math.abs(micros - 3600e6) <= 36e6))
  }

  test("of each task the newest counts, in whatever order it is told") {
    val (early, late) = (told(0, 1, 10, 5), told(0, 1, 20, 7))
    for (order <- Seq(Seq(early, late), Seq(late, early)))
      assert(accumulated(order: _*).value.newest.map(_.rows.left) == Seq(7L))
    val merged = accumulated(early)
    merged.merge(accumulated(late, told(1, 1, 5, 3)))
    assert(merged.value.newest.map(_.rows.left) == Seq(7L, 3L))
    val copied = merged.copyAndReset()
    assert(copied.isZero && !merged.isZero && merged.copy().value == merged.value)
  }

  test("a task that has told nothing of the newest batch is left out") {
    val all = accumulated(told(0, 1, 10, 5), told(1, 2, 20, 7))
    assert(all.value.newest.map(_.partition) == Seq(1))
  }

  test("a source is what all tasks know of it, and its lag that behind the farthest") {
    val of = accumulated(
      told(
        0,
        1,
        10,
        5,
        SourceFigures(0, 2, 100, 9, isIdle = true),
        SourceFigures(1, 1, 70, 9, isIdle = true)
      ),
      told(
        1,
        1,
        10,
        5,
        SourceFigures(0, 3, 90, 4, isIdle = false),
        SourceFigures(1, 0, Long.MinValue, 9, isIdle = true)
      )
    ).value
    assert(of.sources(Side.R) == Seq(
      SourceFigures(0, 5, 100, 4, isIdle = false),
      SourceFigures(1, 1, 70, 9, isIdle = true)
    ))
    assert(of.sources(Side.R).map(of.lag) == Seq(Some(0L), Some(30L)))
    assert(of.lag(SourceFigures(2, 0, Long.MinValue, 0, isIdle = false)).isEmpty)
  }
}
