package io.scalegate.matrix.cube

import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.stream.TimeWindow

/** Windows that follow from each other, attribute types, and layouts. */
final class CubeSpecSuite extends AnyFunSuite {
  private val unbounded = TimeWindow(Long.MinValue, Long.MaxValue)

  private def spec(rs: TimeWindow, st: TimeWindow, rt: TimeWindow) =
    CubeSpec(CubePair(rs), CubePair(st), CubePair(rt))

  private def narrowed(rs: TimeWindow, st: TimeWindow, rt: TimeWindow) = {
    val n = spec(rs, st, rt).narrowed
    (n.rs.window, n.st.window, n.rt.window)
  }

  test("a window that is not given follows from the other two") {
    val short = TimeWindow(-2, 3)
    val shift = TimeWindow(10, 20)
    assert(narrowed(short, shift, unbounded) == ((short, shift, TimeWindow(8, 23))))
    assert(narrowed(short, unbounded, shift) == ((short, TimeWindow(7, 22), shift)))
    assert(narrowed(unbounded, short, shift) == ((TimeWindow(7, 22), short, shift)))
  }

  test("a window that is wider than the other two allow is narrowed, and no more than that") {
    val w = TimeWindow(-5, 5)
    assert(narrowed(w, w, w) == ((w, w, w)))
    assert(narrowed(w, w, TimeWindow(9, 100))._3 == TimeWindow(9, 10))
    assert(narrowed(w, w, TimeWindow(9, 100))._1 == TimeWindow(4, 5))
  }

  test("bounds at the ends of Long narrow nothing that they should not") {
    assert(narrowed(unbounded, unbounded, unbounded) == ((unbounded, unbounded, unbounded)))
    val low = TimeWindow(Long.MinValue, Long.MinValue)
    val zero = TimeWindow(0, 0)
    assert(narrowed(low, zero, unbounded) == ((low, zero, low)))
    // t - s would have to be 2^63, which is no Long
    intercept[IllegalArgumentException](spec(low, unbounded, zero).narrowed)
  }

  test("windows that exclude each other are refused") {
    val e = intercept[IllegalArgumentException](
      spec(TimeWindow(0, 5), TimeWindow(0, 5), TimeWindow(11, 20)).narrowed
    )
    assert(e.getMessage.contains("TimeWindow(11,20)"))
  }

  test("attributes have the types of the bands that name them; a contradiction is refused") {
    val int = IntegralBand(AttributeType.Int32, 0, 1)
    val long = IntegralBand(AttributeType.Int64, 0, 1)
    val all = CubeSpec(
      CubePair(unbounded, Vector(CubeBand(0, 2, int))),
      CubePair(unbounded, Vector(CubeBand(0, 1, long))),
      CubePair(unbounded)
    )
    import AttributeType.{Int32, Int64}
    assert(CubeStream.all.map(all.attributes) ==
      Vector(Vector(Int32), Vector(Int64, Int64, Int32), Vector(Int64, Int64)))
    val wrong = all.copy(rt = CubePair(unbounded, Vector(CubeBand(0, 0, long))))
    val e = intercept[IllegalArgumentException](wrong.attributes(CubeStream.R))
    assert(e.getMessage.contains("attribute 0 of stream R"))
    intercept[IllegalArgumentException](CubeBand(-1, 0, int))
  }

  test("the random cases are worth their time: many of them have results") {
    val some = Gen.listOfN(100, CubeCases.cases).pureApply(Gen.Parameters.default, Seed(1))
    val withResults = some.count(CubeDefinition.results(_).nonEmpty)
    assert(withResults >= 35)
  }

  test("a layout of no workers, or of more than make sense, is refused with its size") {
    for ((r, s, t) <- Seq((0, 1, 1), (1, 0, 1), (1, 1, -1), (11, 10, 10), (65536, 65536, 65536)))
      assert(intercept[IllegalArgumentException](CubeLayout(r, s, t)).getMessage
        .contains(s"$r x $s x $t"))
    assert(CubeLayout(2, 3, 4).workers == 24)
  }
}
