package io.scalegate.multiway.function

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample

/** Exact sums against `BigDecimal`, which is exact and rounds once when it becomes a double. */
class ExactSumSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(Sample.cases(1000)))

  private val doubles: Gen[Double] = Gen.frequency(
    4 -> Gen.choose(-1000.0, 1000.0),
    4 -> Gen.zip(Gen.choose(-1.0, 1.0), Gen.choose(-40, 44)).map { case (x, e) =>
      Math.scalb(x, e)
    },
    3 -> Gen.long.map(java.lang.Double.longBitsToDouble).filter(x => !x.isNaN && !x.isInfinite),
    1 -> Gen.oneOf(
      0.0,
      -0.0,
      Double.MinPositiveValue,
      -Double.MinPositiveValue,
      java.lang.Double.MIN_NORMAL,
      Double.MaxValue,
      Double.MinValue,
      1.0 + math.ulp(1.0),
      math.ulp(1.0) / 2
    )
  )

  private def sum(xs: Seq[Double]): ExactSum = {
    val sum = new ExactSum
    xs.foreach(sum.add)
    sum
  }

  /** As the JDK rounds the exact sum; no negative zero. */
  private def exact(xs: Seq[Double]): Double =
    xs.foldLeft(java.math.BigDecimal.ZERO)((s, x) => s.add(new java.math.BigDecimal(x)))
      .doubleValue + 0.0

  test("the sum is the exact one, rounded once") {
    forAll(Gen.listOf(doubles))(xs => assert(sum(xs).toDouble == exact(xs)))
  }

  test("a sum half way between two doubles goes to the even one, unless something follows") {
    val ulp = math.ulp(1.0)
    for {
      base <- Seq(1.0, 1.0 + ulp, -1.0, java.lang.Double.MIN_NORMAL, 1e300, 1e-310)
      half <- Seq(math.ulp(base) / 2, -math.ulp(base) / 2)
      more <- Seq(0.0, Double.MinPositiveValue, -Double.MinPositiveValue, 1e-200)
    } {
      val xs = Seq(base, half, more)
      assert(sum(xs).toDouble == exact(xs), xs)
    }
  }

  test("a sum in parts, in any order, and with a part taken back, is the same") {
    forAll(Gen.listOf(doubles), Gen.listOf(doubles), Gen.long) { (xs, ys, seed) =>
      val all = new scala.util.Random(seed).shuffle(xs ++ ys)
      val parts = sum(xs)
      parts.add(sum(ys))
      assert(parts.toDouble == exact(xs ++ ys))
      assert(sum(all).toDouble == parts.toDouble && parts.count == all.size)
      parts.subtract(sum(xs))
      assert(parts.toDouble == exact(ys) && parts.count == ys.size)
    }
  }

  test("a number that is added to several sums at once is added to each, and to no other") {
    forAll(Gen.listOf(doubles), doubles, Gen.choose(0, 3)) { (xs, y, from) =>
      val sums = Array[AnyRef](sum(xs), null, sum(xs.reverse), null)
      ExactSum.addToEach(sums, from, 3, y)
      def state(i: Int) = Option(sums(i).asInstanceOf[ExactSum]).map(s => (s.toDouble, s.count))
      def of(all: Seq[Double]) = Some((exact(all), all.size.toLong))
      assert(state(0) == of(if (from == 0) xs :+ y else xs))
      assert(state(1) == (if (from <= 1) of(Seq(y)) else None))
      assert(state(2) == of(if (from <= 2) xs :+ y else xs))
      assert(state(3) == None)
    }
  }

  test("what leaves the range on the way and comes back is not lost") {
    val xs = Seq(Double.MaxValue, Double.MaxValue, -Double.MaxValue, 1.0, -Double.MaxValue)
    assert(sum(xs).toDouble == 1.0)
    assert(sum(Seq(Double.MaxValue, Double.MaxValue)).toDouble == Double.PositiveInfinity)
    assert(sum(Seq.fill(5000)(Double.MinValue)).toDouble == Double.NegativeInfinity)
  }

  test("infinities and NaN are as in addition, and can be taken back") {
    import Double.{NaN, NegativeInfinity, PositiveInfinity}
    for (xs <- Seq(Seq(PositiveInfinity, 1.0), Seq(NegativeInfinity, 1.0)))
      assert(sum(xs).toDouble == xs.sum)
    for (
      xs <-
        Seq(Seq(NaN, 1.0), Seq(PositiveInfinity, NegativeInfinity), Seq(NaN, PositiveInfinity))
    ) {
      val all = sum(3.5 +: xs)
      assert(all.toDouble.isNaN)
      all.subtract(sum(xs))
      assert(all.toDouble == 3.5)
    }
  }

  for (x <- Seq(Double.MinPositiveValue, 1.0, -3.75, Math.scalb(-1.0, 33)))
    test(s"many additions of $x carry in time") {
      val parts = sum(Seq(x))
      var doubled = 1
      while (doubled < 200) { // as if 2^200 had been added
        val same = new ExactSum
        same.add(parts)
        parts.add(same)
        doubled += 1
      }
      assert(parts.toDouble == Math.scalb(x, 199))
      parts.add(sum(Seq(Math.scalb(-x, 199), 5.0)))
      assert(parts.toDouble == 5.0)
    }
}
