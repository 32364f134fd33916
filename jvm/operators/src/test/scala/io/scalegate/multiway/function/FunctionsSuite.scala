package io.scalegate.multiway.function

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample
import io.scalegate.stream.{EventOrder, Side, StreamTuple}

/** The laws of [[AggregateFunction]] for each function, and each function's meaning. */
class FunctionsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import FunctionsSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(Sample.cases(150)))

  for (c <- cases) {
    test(s"${c.name}: gives what it is defined as") {
      forAll(tuples)(ts => c.checkMeaning(ts))
    }
    test(s"${c.name}: the state of no tuples changes nothing") {
      forAll(tuples)(ts => c.checkIdentity(ts))
    }
    test(s"${c.name}: merging is associative, and agrees with adding") {
      forAll(tuples, Gen.choose(0.0, 1.0), Gen.choose(0.0, 1.0))(c.checkMerge)
    }
    test(s"${c.name}: what is done to a merged state does not show in the second one") {
      forAll(tuples, tuples, tuples)(c.checkIsolation)
    }
    test(s"${c.name}: the order of tuples matters only to an order-sensitive function") {
      forAll(tuples, Gen.long)(c.checkOrder)
    }
    test(s"${c.name}: adding to several states at once is adding to each, and to no other") {
      forAll(Gen.listOfN(64, tuples), tuples, Gen.choose(0, 63), Gen.choose(0, 63))(c.checkEach)
    }
    test(s"${c.name}: the inverse takes back what was merged first") {
      forAll(tuples, tuples)(c.checkInverse)
    }
  }

  test("a sum that is no Long is refused, one that only passes through such is not") {
    val sum = Functions.sum[java.lang.Long](x => x)
    def of(values: Long*) = sum.result(values.foldLeft(sum.create())((s, x) => sum.add(s, x)))
    assert(of(Long.MaxValue, 1, -1) == Long.MaxValue)
    assert(of(Long.MinValue, -1, 1) == Long.MinValue)
    for (
      values <- Seq(Seq(Long.MaxValue, 1), Seq(Long.MinValue, -1), Seq.fill(3)(Long.MaxValue))
    ) {
      val e = intercept[ArithmeticException](of(values.map(x => x.toLong): _*))
      assert(e.getMessage.contains("64-bit"))
    }
  }

  test("the variance of large numbers close together keeps its digits") {
    val variance = Functions.variance[java.lang.Double](x => x)
    def of(values: Seq[Double]) = values.foldLeft(variance.create())((s, x) => variance.add(s, x))
    val values = Seq(4.0, 7.0, 13.0, 16.0).map(_ + 1e9)
    assert(variance.result(of(values)).exists(v => math.abs(v - 22.5) < 1e-6))
    val merged = variance.merge(of(values.take(1)), of(values.drop(1)))
    assert(variance.result(merged).exists(v => math.abs(v - 22.5) < 1e-6))
  }

  test("an approximate count is within four standard errors, in any order and in parts") {
    for (precision <- Seq(8, 12, 14); n <- Seq(100, 2000, 50000)) {
      val f = Functions.approximateCountDistinct[java.lang.Long](x => x, precision)
      checkEstimates(f, n, 1.04 / math.sqrt(math.pow(2, precision.toDouble)))
    }
  }

  private def checkEstimates[S <: AnyRef](
      f: AggregateFunction[java.lang.Long, S, Double],
      n: Int,
      error: Double
  ): Unit = {
    def of(values: Seq[Int]) =
      values.foldLeft(f.create())((s, x) => f.add(s, java.lang.Long.valueOf(x * 7919L)))
    val values = (0 until n).flatMap(i => Seq(i, i / 2))
    val estimate = f.result(of(values))
    assert(math.abs(estimate - n) <= 4 * error * n)
    assert(f.result(of(values.reverse)) == estimate)
    val parts = values.grouped(math.max(n / 7, 1)).map(of)
    assert(f.result(parts.foldLeft(f.create())(f.merge)) == estimate)
    assert(f.result(f.merge(of(values.drop(n / 2)), of(values.take(n)))) == estimate)
  }

  test("an approximate count tells values of different types apart, and counts null") {
    val f = Functions.approximateCountDistinct[Object](x => x)
    def count(values: Object*) = countOf(f, values)
    val one = java.lang.Long.valueOf(1)
    assert(count(one, Integer.valueOf(1), java.lang.Short.valueOf(1.toShort)) == 1)
    assert(count(one, "1", Array[Byte](49), java.lang.Double.valueOf(1), null) == 5)
    assert(count("", null, Array.emptyByteArray, "", null) == 3)
    assert(
      intercept[IllegalArgumentException](count(Seq(1))).getMessage.contains("map the value")
    )
    for (bad <- Seq(6, 22)) {
      val e = intercept[IllegalArgumentException](
        Functions.approximateCountDistinct[Object](x => x, bad)
      )
      assert(e.getMessage.contains(s"not $bad"))
    }
  }

  private def countOf[S <: AnyRef](
      f: AggregateFunction[Object, S, Double],
      values: Seq[Object]
  ): Long = math.round(f.result(values.foldLeft(f.create())((s, x) => f.add(s, x))))

  test("those with an exact inverse have one, and the variance, which rounds, has none") {
    assert(cases.filter(_.isInvertible).map(_.name) == Seq(
      "count",
      "count if",
      "count distinct",
      "sum",
      "avg",
      "sum of doubles",
      "avg of doubles",
      "several with inverses"
    ))
    assert(cases.filter(_.isRounding).map(_.name) == Seq("variance", "sample variance"))
  }
}

object FunctionsSuite {
  private type Tuples = Vector[StreamTuple]

  /** A tuple of value and time; ties in time, few values. */
  private def tuple(ts: Long, source: Int, seq: Long, value: Long): StreamTuple =
    new StreamTuple(ts, source, seq, Side.R, Array(value), null)

  /** In their total order. */
  val tuples: Gen[Vector[StreamTuple]] =
    for {
      n <- Gen.frequency(1 -> Gen.const(0), 1 -> Gen.const(1), 8 -> Gen.choose(2, 40))
      times <- Gen.listOfN(n, Gen.choose(0L, 9L))
      values <- Gen.listOfN(
        n,
        Gen.frequency(9 -> Gen.choose(-9L, 9L), 1 -> Gen.choose(-1000000007L, 1000000007L))
      )
    } yield times.sorted.zip(values).zipWithIndex.map { case ((ts, v), i) =>
      tuple(ts, i % 3, i.toLong, v)
    }.sorted(Ordering.comparatorToOrdering[StreamTuple](EventOrder.Tuples.compare(_, _))).toVector

  private def value(t: StreamTuple): Long = t.attrs(0)
  private def boxed(t: StreamTuple): java.lang.Long = value(t)
  private def id(t: StreamTuple): Long = t.seq

  /** A function and what it is defined as, of tuples in their order. */
  final private class Case[S <: AnyRef](
      val name: String,
      f: AggregateFunction[StreamTuple, S, Any],
      definition: Tuples => Any,
      tolerance: Double = 0.0
  ) {
    private def of(ts: Tuples): S = ts.foldLeft(f.create())(f.add)
    private def result(s: S): Any = f.result(s)

    private def same(a: Any, b: Any): Boolean = (a, b) match {
      case (Some(x), Some(y)) => same(x, y)
      case (x: Double, y: Double) =>
        math.abs(x - y) <= tolerance * math.max(1.0, math.abs(y))
      case _ => a == b
    }

    private def assertSame(a: Any, b: Any): Unit = assert(same(a, b), s"$name: $a is not $b")

    def isInvertible: Boolean = f.isInstanceOf[Invertible[_]]
    def isRounding: Boolean = f.isRounding

    def checkMeaning(ts: Tuples): Unit = assertSame(result(of(ts)), definition(ts))

    def checkIdentity(ts: Tuples): Unit = {
      assertSame(result(f.merge(f.create(), of(ts))), definition(ts))
      assertSame(result(f.merge(of(ts), f.create())), definition(ts))
    }

    def checkMerge(ts: Tuples, x: Double, y: Double): Unit = {
      val i = (math.min(x, y) * ts.length).toInt
      val j = (math.max(x, y) * ts.length).toInt
      def a = of(ts.take(i))
      def b = of(ts.slice(i, j))
      def c = of(ts.drop(j))
      assertSame(result(f.merge(f.merge(a, b), c)), definition(ts))
      assertSame(result(f.merge(a, f.merge(b, c))), definition(ts))
      assertSame(result(ts.drop(j).foldLeft(f.merge(a, b))(f.add)), definition(ts))
    }

    def checkIsolation(as: Tuples, bs: Tuples, cs: Tuples): Unit = {
      val b = of(bs)
      val before = result(b)
      val merged = cs.foldLeft(f.merge(of(as), b))(f.add)
      f.merge(merged, of(cs))
      f match {
        case i: Invertible[S @unchecked] => i.subtract(merged, b)
        case _ => ()
      }
      assertSame(result(b), before)
      val c = f.merge(f.create(), b)
      cs.foldLeft(c)(f.add)
      assertSame(result(b), before)
    }

    def checkOrder(ts: Tuples, seed: Long): Unit = if (!f.isOrderSensitive) {
      val shuffled = new scala.util.Random(seed).shuffle(ts)
      val cut = shuffled.length / 2
      assertSame(result(of(shuffled)), definition(ts))
      assertSame(
        result(f.merge(of(shuffled.drop(cut)), of(shuffled.take(cut)))),
        definition(ts)
      )
    }

    def checkEach(before: List[Tuples], ts: Tuples, x: Int, y: Int): Unit =
      for (overlap <- Seq(1L, 100L))
        checkEach(f.layout(overlap), before, math.min(x, y), math.max(x, y) + 1, ts)

    private def checkEach[L <: LaneStates[StreamTuple]](
        layout: StateLayout[StreamTuple, L],
        before: List[Tuples],
        from: Int,
        until: Int,
        ts: Tuples
    ): Unit = {
      val states = layout.lane(before.size, 1)
      for ((b, i) <- before.zipWithIndex; t <- b) states.addToEach(0, i, i + 1, t)
      states.touchEach(0, from, from + 1)
      ts.foreach(states.addToEach(0, from, until, _))
      val windows = layout.windows()
      for ((b, i) <- before.zipWithIndex) {
        val added = if (from <= i && i < until) ts else Vector.empty
        val taken = new TakenResults
        windows.begin(i, 1)
        windows.add(states, 1, null)
        windows.end(Array("key"), taken)
        if (b.isEmpty && added.isEmpty && i != from) assert(taken.results.isEmpty)
        else assertSame(taken.results.head, result(added.foldLeft(of(b))(f.add)))
      }
    }

    def checkInverse(as: Tuples, bs: Tuples): Unit = f match {
      case i: Invertible[S @unchecked] =>
        val all = f.merge(of(as), of(bs))
        assertSame(result(i.subtract(all, of(as))), definition(bs))
        if (!f.isOrderSensitive) {
          val mixed =
            of(as.zipAll(bs, null, null).flatMap(p => Seq(p._1, p._2)).filter(_ != null))
          assertSame(result(i.subtract(mixed, of(bs))), definition(as))
        }
      case _ => ()
    }
  }

  /** The longest run of tuples with values that do not fall: a user's own, order-sensitive. */
  private object LongestRise extends AggregateFunction[StreamTuple, List[StreamTuple], Int] {
    def name = "longest rise"
    override def isOrderSensitive = true
    def create(): List[StreamTuple] = Nil
    def add(state: List[StreamTuple], t: StreamTuple): List[StreamTuple] = t :: state
    def merge(a: List[StreamTuple], b: List[StreamTuple]): List[StreamTuple] = b ::: a
    def result(state: List[StreamTuple]): Int = of(state.reverse.map(value))
    def of(values: Seq[Long]): Int =
      values.indices.flatMap(i => (i + 1 to values.length).map(values.slice(i, _)))
        .filter(run => run.zip(run.drop(1)).forall { case (a, b) => a <= b })
        .map(_.length).maxOption.getOrElse(0)
  }

  private def mean(ts: Tuples): Option[Double] =
    Option.when(ts.nonEmpty)((ts.map(t => BigDecimal(value(t))).sum / ts.size).toDouble)

  private def squares(ts: Tuples): Double = {
    val m = ts.map(t => BigDecimal(value(t))).sum / ts.size
    ts.map(t => (BigDecimal(value(t)) - m).pow(2)).sum.toDouble
  }

  private def even(t: StreamTuple): Boolean = value(t) % 2 == 0

  private val cases: Seq[Case[_ <: AnyRef]] = {
    import Functions._
    val Tolerance = 1e-9
    Seq(
      new Case("count", count, _.size.toLong),
      new Case("count if", countIf[StreamTuple](even(_)), _.count(even).toLong),
      new Case("count distinct", distinct, ts => ts.map(value).distinct.size.toLong),
      new Case(
        "approximate count distinct",
        approximateCountDistinct[StreamTuple](boxed(_)),
        ts => ts.map(value).distinct.size.toDouble,
        1e-3 // so few are told apart by more bits of their hashes than a register has
      ),
      new Case("sum", sum[StreamTuple](value(_)), _.map(value).sum),
      new Case("avg", avg[StreamTuple](value(_)), mean, Tolerance),
      new Case(
        "sum of doubles",
        sumOfDoubles[StreamTuple](value(_) / 8.0),
        _.map(value).sum / 8.0
      ),
      new Case("avg of doubles", avgOfDoubles[StreamTuple](value(_).toDouble), mean, Tolerance),
      new Case(
        "variance",
        variance[StreamTuple](value(_).toDouble),
        ts => Option.when(ts.nonEmpty)(squares(ts) / ts.size),
        Tolerance
      ),
      new Case(
        "sample variance",
        sampleVariance[StreamTuple](value(_).toDouble),
        ts => Option.when(ts.size > 1)(squares(ts) / (ts.size - 1)),
        Tolerance
      ),
      new Case("min", min[StreamTuple, Long](value(_)), _.map(value).minOption),
      new Case("max", max[StreamTuple, Long](value(_)), _.map(value).maxOption),
      new Case(
        "argMin",
        argMin[StreamTuple, Long, Long](value(_), EventOrder.Tuples, id(_)),
        ts => ts.find(value(_) == ts.map(value).min).map(id)
      ),
      new Case(
        "argMax",
        argMax[StreamTuple, Long, Long](value(_), EventOrder.Tuples, id(_)),
        ts => ts.find(value(_) == ts.map(value).max).map(id)
      ),
      new Case("first", first[StreamTuple, Long](id(_)), _.headOption.map(id)),
      new Case("last", last[StreamTuple, Long](id(_)), _.lastOption.map(id)),
      new Case("first that", firstThat[StreamTuple, Long](even(_), id(_)), _.find(even).map(id)),
      new Case(
        "filtered last",
        where[StreamTuple, Picked[StreamTuple], Option[Long]](even(_))(
          last[StreamTuple, Long](id(_))
        ),
        _.filter(even).lastOption.map(id)
      ),
      new Case(
        "several with inverses",
        several[StreamTuple](count, sum[StreamTuple](value(_))),
        ts => Vector(ts.size.toLong, ts.map(value).sum)
      ),
      new Case(
        "several",
        several[StreamTuple](last[StreamTuple, Long](id(_)), count, distinct),
        ts =>
          Vector[Any](ts.lastOption.map(id), ts.size.toLong, ts.map(value).distinct.size.toLong)
      ),
      new Case("a user's own", LongestRise, ts => LongestRise.of(ts.map(value)))
    )
  }

  private def distinct = Functions.countDistinct[StreamTuple](boxed(_))
}
