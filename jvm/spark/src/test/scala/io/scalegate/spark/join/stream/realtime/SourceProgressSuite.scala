package io.scalegate.spark.join.stream.realtime

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.stream.Sides

final class SourceProgressSuite extends AnyFunSuite {
  test("nothing is reached before every source has promised something") {
    val progress = new SourceProgress(0L)
    assert(progress.reached(0L) == Long.MinValue)
    progress.promise(1, 3, 50L, 0L)
    progress.promise(2, 3, 40L, 0L)
    assert(progress.reached(0L) == Long.MinValue)
    progress.promise(0, 3, 30L, 0L)
    assert(progress.reached(0L) == 30L)
    progress.promise(0, 3, 60L, 0L)
    assert(progress.reached(0L) == 40L)
  }

  test("a promise that is lower than the one before changes nothing") {
    val progress = new SourceProgress(0L)
    progress.promise(0, 1, 30L, 0L)
    assert(progress.reached(0L) == 30L)
    progress.promise(0, 1, 20L, 0L)
    assert(progress.reached(0L) == 30L)
  }

  test("a silent source is left out after a while, and holds nothing back when it returns") {
    val progress = new SourceProgress(100L)
    progress.promise(0, 2, 30L, 0L)
    progress.promise(1, 2, 10L, 0L)
    progress.promise(0, 2, 50L, 90L)
    assert(progress.reached(99L) == 10L)
    assert(progress.reached(100L) == 50L)
    progress.promise(1, 2, 20L, 120L)
    progress.promise(0, 2, 70L, 130L)
    assert(progress.reached(130L) == 50L)
    progress.promise(1, 2, 60L, 140L)
    assert(progress.reached(140L) == 60L)
  }

  test("where all sources are silent nothing moves") {
    val progress = new SourceProgress(100L)
    progress.promise(0, 2, 30L, 0L)
    progress.promise(1, 2, 10L, 0L)
    assert(progress.reached(1000L) == Long.MinValue)
    progress.promise(0, 2, 30L, 1000L)
    assert(progress.reached(1001L) == Long.MinValue)
    progress.heard(0, 1000L)
    assert(progress.reached(1001L) == 30L)
  }

  test(
    "each source's figures say its rows, its promise, its silence and whether it is left out"
  ) {
    val progress = new SourceProgress(100000L)
    progress.promise(1, 2, 30L, 1000L)
    progress.row(1)
    progress.row(1)
    assert(progress.figures(91000L) == Seq(
      SourceFigures(0, 0L, Long.MinValue, 90L, isIdle = false),
      SourceFigures(1, 2L, 30L, 90L, isIdle = false)
    ))
    progress.promise(0, 2, 40L, 91000L)
    assert(progress.figures(101000L) == Seq(
      SourceFigures(0, 0L, 40L, 10L, isIdle = false),
      SourceFigures(1, 2L, 30L, 100L, isIdle = true)
    ))
  }

  test("what the batch before knew of the sources holds until they are heard of") {
    val before = Seq(KnownSource(50L, 80L), KnownSource(20L, 0L), KnownSource.New)
    val progress = new SourceProgress(100000L, before, begun = 1000000L)
    assert(progress.reached(1000000L) == Long.MinValue)
    progress.promise(0, 3, Long.MinValue, 1010000L)
    progress.promise(2, 3, 30L, 1010000L)
    assert(progress.reached(1019000L) == 20L)
    assert(progress.figures(1019000L).map(_.silent) == Seq(99L, 19L, 9L))
    progress.promise(1, 3, 60L, 1019000L)
    progress.promise(2, 3, 70L, 1019000L)
    assert(progress.reached(1019000L) == 50L)
    assert(progress.reached(1020000L) == 60L, "the first is silent for too long")
  }

  test("what is known of sources is written and read, and found by their names") {
    val known = Map("b c-1" -> KnownSource(-5L, 3L), "a-0" -> KnownSource.New)
    val written = KnownSources("a run", Sides(known, Map.empty))
    assert(KnownSources.parsed(written.text) == Right(written))
    val names = Sides(Seq("new", "b c-1"), Seq("b c-1"))
    val found = Sides(Seq(KnownSource.New, KnownSource(-5L, 3L)), Seq(KnownSource.New))
    assert(written.named("a run", names) == found)
    val restarted = found.copy(left = Seq(KnownSource.New, KnownSource(-5L, 0L)))
    assert(written.named("another", names) == restarted)
    for (
      wrong <-
        Seq("", "v1", "v2 run", "v1 run\nleft 1 2", "v1 run\nleft x 2 a", "v1 run\nup 1 2 a")
    )
      assert(KnownSources.parsed(wrong).left.toOption == Some(
        wrong.linesIterator.toSeq.lastOption.getOrElse("")
      ))
  }
}
