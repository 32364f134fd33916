package io.scalegate.matrix

import org.scalatest.funsuite.AnyFunSuite

/** Who has which segment, and who tells whom. */
final class TopologySuite extends AnyFunSuite {
  private val all = Seq(Seq(1, 1), Seq(1, 4), Seq(3, 2), Seq(1, 1, 1), Seq(2, 3, 2), Seq(1, 3, 1))
    .map(e => new Topology(e.toVector))

  private def coordinates(t: Topology, worker: Int): Seq[Int] =
    (0 until t.streams).map(t.coordinate(worker, _))

  test("every combination of segments has exactly one worker") {
    for (t <- all) {
      val combinations =
        (0 until t.streams).foldLeft(Seq(Seq.empty[Int]))((some, a) =>
          for (c <- some; segment <- 0 until t.segments(a)) yield c :+ segment
        )
      assert((0 until t.workers).map(coordinates(t, _)) == combinations)
    }
  }

  test("each segment has one writer, and every other sharer is told by a neighbour, ever after") {
    for (t <- all; a <- 0 until t.streams; segment <- 0 until t.segments(a)) {
      val sharers = (0 until t.workers).filter(t.coordinate(_, a) == segment)
      assert(sharers.count(t.upstream(_, a).isEmpty) == 1)
      for (worker <- sharers; upstream <- t.upstream(worker, a)) {
        assert(sharers.contains(upstream) && upstream < worker)
        val differences =
          coordinates(t, worker).zip(coordinates(t, upstream)).map(x => x._1 - x._2)
        assert(differences.sum == 1 && differences.forall(d => d == 0 || d == 1))
      }
    }
  }

  test("in a matrix, R goes along the rows and S down the columns") {
    val matrix = new Topology(Vector(2, 3))
    assert((0 until 6).map(matrix.upstream(_, 0)) ==
      Seq(None, Some(0), Some(1), None, Some(3), Some(4)))
    assert((0 until 6).map(matrix.upstream(_, 1)) ==
      Seq(None, None, None, Some(0), Some(1), Some(2)))
  }
}
