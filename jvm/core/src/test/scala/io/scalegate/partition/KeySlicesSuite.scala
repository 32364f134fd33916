package io.scalegate.partition

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.band.{AttributeType, CellBuffer, IntegralBand}
import io.scalegate.stream.Side

/** Each pair of equal keys that the band lets through meets in exactly one cell, hot or not. */
final class KeySlicesSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private val band = IntegralBand(AttributeType.Int64, -5, 9)

  private val hot = Seq(HotKey(7, Array(100, 101, 102)), HotKey(-3, Array(200, 201)))

  private def cells(slices: KeySlices, side: Side, key: Long, at: Long, hash: Long): Seq[Long] = {
    val buffer = new CellBuffer
    slices.cells(side, key, at, () => hash, buffer)
    (0 until buffer.size).map(buffer(_))
  }

  private val rows = for {
    single <- Gen.oneOf(Side.R, Side.S)
    cut <- Gen.option(Gen.oneOf(1, 2, 8))
    key <- Gen.oneOf(7L, -3L, 0L, Long.MaxValue)
    r <- Gen.oneOf(Gen.choose(-1000L, 1000L), Gen.oneOf(Long.MinValue, Long.MaxValue))
    distance <- Gen.choose(-20L, 20L)
    hash <- Gen.choose(Int.MinValue.toLong, Int.MaxValue.toLong)
  } yield (new KeySlices(hot, single, cut.map(KeySlices.Cuts(band, _))), key, r, distance, hash)

  test("pairs of equal keys within the band meet once, others at most once") {
    forAll(rows) { case (slices, key, r, distance, hash) =>
      val s = r + distance
      val (ofR, ofS) =
        (cells(slices, Side.R, key, r, hash), cells(slices, Side.S, key, s, hash + 1))
      val own = if (slices.single eq Side.R) ofR else ofS
      assert(own.size == 1)
      assert(ofR.distinct == ofR && ofS.distinct == ofS)
      val within = s >= band.least(Side.R, r) && s <= band.greatest(Side.R, r)
      val met = ofR.intersect(ofS).size
      assert(met <= 1 && (met == 1 || !within), s"$ofR $ofS")
    }
  }

  test("a key that is not hot has one cell on both sides, named like it") {
    val slices = new KeySlices(hot, Side.R, None)
    for (side <- Seq(Side.R, Side.S)) assert(cells(slices, side, 8, 0, 0) == Seq(8))
  }

  test("the rows of a hot key are spread over all of its cells, evenly") {
    for (cut <- Seq(None, Some(KeySlices.Cuts(band, 2)))) {
      val slices = new KeySlices(hot, Side.S, cut)
      val counts = (0L until 3000L)
        .flatMap(n => cells(slices, Side.S, 7, n, n))
        .groupMapReduce(identity)(_ => 1)(_ + _)
      assert(counts.keySet == Set(100L, 101L, 102L))
      assert(counts.values.forall(n => n > 950 && n < 1050), counts)
    }
  }

  test("only rows near a cut are copied") {
    val slices = new KeySlices(hot, Side.R, Some(KeySlices.Cuts(band, 8)))
    val copies = (0L until 6000L).map(n => cells(slices, Side.S, 7, n, n).size)
    assert(copies.max == 2)
    assert(copies.sum < 6000 * 1.2)
  }

  test("the widest cuts that leave each slice enough stripes are taken, or none") {
    def cuts(range: Long, slices: Int) =
      KeySlices.cuts(band, 0, range, slices).map(_.stripesPerBand)
    assert(cuts(15 * 8 * 8 + 1, 2).contains(8))
    assert(cuts(15 * 8 * 8 - 15, 2).contains(4))
    assert(cuts(15 * 9, 2).contains(1))
    assert(cuts(15 * 7, 2).isEmpty)
    assert(KeySlices.cuts(band, Long.MinValue, Long.MaxValue, 1000).contains(KeySlices.Cuts(
      band,
      8
    )))
  }

  test("a key with no cell or with two ways to cut it is refused") {
    intercept[IllegalArgumentException](HotKey(1, Array.empty))
    val twice = Seq(HotKey(1, Array(5)), HotKey(1, Array(6)))
    intercept[IllegalArgumentException](new KeySlices(twice, Side.R, None))
  }
}
