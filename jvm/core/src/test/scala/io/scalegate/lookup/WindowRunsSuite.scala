package io.scalegate.lookup

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample
import io.scalegate.band.{AttributeType, Band, IntegralBand}
import io.scalegate.stream.Side

/** Windows that grow and expire, against lists of rows. What is kept of a row is its ordinal. */
final class WindowRunsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(
      minSuccessful = PosInt.ensuringValid(if (Sample.isSoak) 50 else 20),
      sizeRange = 40
    )

  private val bands =
    Vector(
      IntegralBand(AttributeType.Int32, -3, 3),
      IntegralBand(AttributeType.Int64, -40, 25)
    )

  private case class Row(ordinal: Long, x: Long, time: Long)

  /** Drops every seventh row when its run is merged. */
  private class Ordinals(drop: Boolean) extends RunRows[Array[Long]] {
    def gather(from: IndexedSeq[Array[Long]], places: Array[Long]): Array[Long] =
      places.map(p => from((p >>> 32).toInt)(p.toInt))
    def isKept(rows: Array[Long], number: Int): Boolean = !drop || rows(number) % 7 != 0
  }

  private def empty(side: Side, drop: Boolean = false, of: IndexedSeq[Band] = bands) =
    WindowRuns.empty(of, side, 1, new Ordinals(drop))

  private def run(window: WindowRuns[Array[Long]], rows: Seq[Row]): WindowRun[Array[Long]] =
    window.runOf(
      Vector(rows.map(_.x).toArray, rows.map(_.time).toArray),
      rows.map(_.ordinal).toArray
    )

  /** Batches whose times move on, unevenly, and the time up to which rows have expired after each. */
  private val batches: Gen[Seq[(Seq[Row], Long)]] = for {
    sizes <- Gen.listOf(Gen.frequency(
      4 -> Gen.choose(0, 40),
      1 -> Gen.oneOf(0, 1500)
    ))
    seeds <- Gen.listOfN(sizes.length, Gen.choose(0, Int.MaxValue))
  } yield {
    var ordinal = 0L
    sizes.zip(seeds).zipWithIndex.map { case ((size, seed), i) =>
      val random = new scala.util.Random(seed)
      val rows = Seq.fill(size) {
        ordinal += 1
        Row(ordinal, random.nextInt(30).toLong, i * 20L + random.nextInt(60))
      }
      (rows, i * 20L - random.nextInt(80))
    }
  }

  private def matches(side: Side, probe: Array[Long], row: Row): Boolean = bands.indices.forall {
    i =>
      val key = if (i == 0) row.x else row.time
      bands(i).least(side.opposite, probe(i)) <= key && key <= bands(i).greatest(
        side.opposite,
        probe(i)
      )
  }

  private def found(lookup: RunsLookup[Array[Long]], probe: Array[Long]): Seq[Long] = {
    lookup.start(probe)
    Iterator
      .continually(lookup)
      .takeWhile(_.next())
      .map(l => l.current.rows(l.number))
      .toSeq
      .sorted
  }

  for (side <- Seq(Side.R, Side.S))
    test(s"a window of $side finds every row within the bands that has not expired, once") {
      forAll(batches) { all =>
        var window = empty(side)
        var bound = Long.MinValue
        var rows = Seq.empty[Row]
        all.foreach { case (batch, expired) =>
          bound = math.max(bound, expired)
          window = window.add(run(window, batch), bound)
          rows = (rows ++ batch).filter(_.time > bound)
          val lookup = window.lookup()
          for (x <- Seq(0L, 14L, 31L); t <- Seq(bound, bound + 30, bound + 90)) {
            val probe = Array(x, t)
            val alive =
              found(lookup, probe).filter(rows.map(_.ordinal).toSet)
            assert(alive == rows.filter(matches(side, probe, _)).map(_.ordinal).sorted)
          }
        }
        val held = window.runs.flatMap(_.rows)
        assert(held.distinct == held)
        assert(rows.map(_.ordinal).forall(held.contains))
      }
    }

  /** The rows' ordinals; some come together. */
  private def foundTogether(
      lookup: RunsLookup[Array[Long]],
      probe: Array[Long],
      isRange: Boolean
  ): Seq[Long] = {
    lookup.start(probe)
    val all = Seq.newBuilder[Long]
    var some = lookup.nextSome()
    while (some > 0) {
      val numbers = (0 until some).map(lookup.number)
      assert(lookup.isRange == isRange)
      if (isRange) assert(numbers == (numbers.head until numbers.head + some))
      all ++= numbers.map(lookup.current.rows(_))
      some = lookup.nextSome()
    }
    assert(lookup.nextSome() == 0)
    all.result().sorted
  }

  private val keyed = bands.updated(0, IntegralBand(AttributeType.Int32, 0, 0))

  for ((name, of, isRange) <- Seq(("bands", bands, false), ("a key and a band", keyed, true)))
    test(s"rows found together by $name are those found one by one") {
      forAll(batches) { all =>
        var window = empty(Side.S, of = of)
        all.foreach { case (batch, expired) =>
          window = window.add(run(window, batch), expired)
          val lookup = window.lookup()
          for (x <- Seq(0L, 14L, 31L); t <- Seq(expired, expired + 30, expired + 90)) {
            val probe = Array(x, t)
            assert(foundTogether(lookup, probe, isRange) == found(lookup, probe))
          }
        }
      }
    }

  test("a version stays as it was when another is made of it") {
    forAll(batches) { all =>
      var window = empty(Side.R)
      val versions = all.map { case (batch, expired) =>
        window = window.add(run(window, batch), expired)
        window -> window.runs.flatMap(_.rows.toVector)
      }
      versions.foreach { case (version, rows) => assert(version.runs.flatMap(_.rows) == rows) }
    }
  }

  test("n rows lie in log n runs, and expired ones are less than alive ones but for a few") {
    var window = empty(Side.S)
    for (i <- 0 until 400) {
      val rows = Seq.tabulate(1500)(n => Row(i * 1500L + n, n % 30L, i * 1500L + n))
      window = window.add(run(window, rows), i * 1500L - 150000)
      assert(window.runs.length <= 9, s"after $i batches: ${window.runs.map(_.size)}")
      assert(window.size <= 2 * 151500 + 1500)
    }
  }

  test("rows of no use any more go when their run is merged") {
    val rows = Seq.tabulate(70)(n => Row(n.toLong, 1, n.toLong))
    val window = empty(Side.R, drop = true)
    val one = window.add(run(window, rows), Long.MinValue)
    assert(one.size == 70)
    val two = one.add(run(window, Seq(Row(71, 1, 71))), Long.MinValue)
    assert(two.runs.map(_.size) == Vector(61))
  }

  test("a run gives the rows of a range of times in their order") {
    forAll(
      Gen.listOf(Gen.choose(-20L, 20L)),
      Gen.choose(-25L, 25L),
      Gen.choose(-25L, 25L)
    ) { (times, after, upTo) =>
      val window = empty(Side.R)
      val rows = times.zipWithIndex.map { case (t, i) => Row(i.toLong, 0, t) }
      val one = run(window, rows)
      val expected = times.filter(t => t > after && t <= upTo).sorted
      assert(one.between(after, upTo).map(one.timeOf).toSeq == expected)
    }
  }

  test("a run gives the row of a time that one row alone has, and none for another") {
    forAll(Gen.listOf(Gen.choose(-20L, 20L))) { some =>
      val times = some.distinct
      val one = run(empty(Side.S), times.zipWithIndex.map { case (t, i) => Row(i.toLong, 0, t) })
      for (time <- -22L to 22L) {
        val number = one.numberAt(time)
        if (times.contains(time)) assert(one.timeOf(number) == time) else assert(number == -1)
      }
    }
  }

  test("a lookup sees runs that are not part of the window yet, and only those it was given") {
    val window = empty(Side.R)
    val old = window.add(run(window, Seq(Row(1, 5, 10))), Long.MinValue)
    val fresh = run(window, Seq(Row(2, 5, 10)))
    assert(found(old.lookup(fresh), Array(5L, 10L)) == Seq(1L, 2L))
    assert(found(old.lookup(), Array(5L, 10L)) == Seq(1L))
  }

  test("a time that is no attribute is refused") {
    val e = intercept[IllegalArgumentException](
      WindowRuns.empty(bands, Side.R, 2, new Ordinals(false))
    )
    assert(
      e.getMessage.contains("the time must be one of the 2 bounded attributes, not number 2")
    )
  }
}
