package io.scalegate.multiway.winset

import java.util.SplittableRandom

import scala.collection.mutable

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample
import io.scalegate.multiway.design.{TuMLMC, WiML}
import io.scalegate.multiway.function.{AggregateFunction, Functions, Moments}
import io.scalegate.multiway.{
  AggregateCase,
  AggregateCases,
  AggregateDefinition,
  AggregateDesign,
  AggregateOptions,
  AggregateRuns,
  AggregateSpec,
  RunningAggregate
}
import io.scalegate.stream.{SlidingWindows, StreamTuple}

/** Designs on a hive, where windows overlap, against the definition: inputs of which some are far
  * ahead in time of others, fed by one thread, which has them share a lane, or by several; keys
  * that come and go; times in clumps, and far apart; tuples in few windows and in many.
  */
class OverlappingWindowsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import AggregateCases._
  import AggregateRuns._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(Sample.cases(150)))

  private val windows: Gen[SlidingWindows] = Gen.oneOf(
    Gen.choose(2L, 40L).flatMap(size => Gen.choose(1L, size - 1).map(SlidingWindows(size, _))),
    Gen.choose(1L, 9L).map(a => SlidingWindows(10 * a, a)),
    Gen.oneOf(SlidingWindows(64, 1), SlidingWindows(65, 1), SlidingWindows(150, 1)),
    Gen.oneOf(3L, 7L, 20L).map(n => SlidingWindows(Long.MaxValue, Long.MaxValue / n))
  )

  /** Where a stream's clump of tuples begins, and how far they are apart. */
  private val clumps: Gen[Vector[(Long, Long)]] = {
    val begin = Gen.frequency(
      6 -> Gen.choose(-300L, 300L),
      1 -> Gen.choose(-1000000L, 1000000L),
      1 -> Gen.choose(0L, 200L).map(Long.MinValue + _),
      1 -> Gen.choose(200L, 400L).map(Long.MaxValue - _)
    )
    Gen.choose(0, 4).flatMap(Gen.listOfN(_, Gen.zip(begin, Gen.oneOf(0L, 1L, 5L)))).map(
      _.toVector
    )
  }

  /** A key is drawn of a few, or belongs to its time, and does not come back. */
  private def feed(source: Int, clumps: Vector[(Long, Long)], seed: Long): Vector[StreamTuple] = {
    val random = new SplittableRandom(seed)
    val times = clumps.flatMap { case (begin, step) =>
      (0L until 1L + random.nextInt(20)).map(i => begin + i * step)
    }
    times.sorted.zipWithIndex.map { case (ts, seq) =>
      val key = random.nextInt(4) match {
        case 0 => null
        case 1 => s"at ${ts / 7}"
        case _ => s"k${random.nextInt(3)}"
      }
      tuple(ts, source, seq.toLong, key, random.nextLong(100))
    }
  }

  private val cases: Gen[AggregateCase] =
    for {
      w <- windows
      inputs <- Gen.choose(1, 4)
      all <- Gen.listOfN(inputs, Gen.zip(clumps, Gen.long))
    } yield AggregateCase(
      w,
      all.zipWithIndex.map { case ((c, seed), source) => feed(source, c, seed) }.toVector
    )

  /** One thread feeds long runs of one input before it turns to another. */
  private def inRuns[A](
      aggregate: RunningAggregate[String, A],
      feeds: Vector[Vector[StreamTuple]],
      seed: Long
  ): Rows[A] = {
    val random = new SplittableRandom(seed)
    val consumer = new Consumer(aggregate)
    val open = mutable.ArrayBuffer.from(feeds.indices)
    val rest = feeds.map(_.iterator.buffered)
    while (open.nonEmpty) {
      val i = open(random.nextInt(open.length))
      var run = 1 + random.nextInt(60)
      while (run > 0 && rest(i).hasNext && aggregate.sources(i).tryAdd(rest(i).head)) {
        rest(i).next()
        run -= 1
      }
      if (!rest(i).hasNext) {
        aggregate.sources(i).close()
        open -= i
      }
      if (random.nextBoolean()) while (consumer.take()) ()
    }
    consumer.drain()
  }

  private def even(t: StreamTuple): Boolean = t.attrs(0) % 2 == 0

  private val total = Functions.several[StreamTuple](
    Functions.count,
    Functions.countIf[StreamTuple](even(_)),
    Functions.max[StreamTuple, Long](_.attrs(0))
  )

  private val all = AggregateOptions(inputCapacity = 100000, winsetCapacity = 100000)

  private def check[S <: AnyRef, R](
      design: AggregateDesign,
      what: String,
      function: AggregateFunction[StreamTuple, S, R]
  )(definition: Vector[StreamTuple] => R): Unit =
    test(s"${design.name}, $what: gives the definition's windows") {
      forAll(cases, Gen.long) { (input, seed) =>
        val of = AggregateSpec[String, S, R](input.windows, key, function, Some(keyOrder))
        val expected = AggregateDefinition.results(input)(definition)
        val inputs = input.feeds.size
        assert(opened(design, of, inputs, all)(inRuns(_, input.feeds, seed)) == expected)
        assert(opened(design, of, inputs)(threaded(_, input.feeds)) == expected)
      }
    }

  check(WiML, "a state replaced by each addition", Contents)(_.map(place))
  check(WiML, "a state replaced by each addition, invertible", LeavingContents)(_.map(place))
  check(new TuMLMC(2), "all tuples in order", Sequence)(_.map(place))
  check(new TuMLMC(2), "all tuples in order, invertible", LeavingSequence)(_.map(place))
  check(WiML, "count", Functions.count)(_.size.toLong)
  check(WiML, "sum", Functions.sum[StreamTuple](_.attrs(0)))(_.map(_.attrs(0)).sum)
  check(WiML, "sum of doubles", Functions.sumOfDoubles[StreamTuple](_.attrs(0) / 8.0))(
    _.map(_.attrs(0)).sum / 8.0
  )
  check(WiML, "count if", Functions.countIf[StreamTuple](even(_)))(_.count(even).toLong)
  check(WiML, "several", total)(ts =>
    Vector[Any](ts.size.toLong, ts.count(even).toLong, ts.map(_.attrs(0)).maxOption)
  )

  test("a function that rounds merges inputs in their order, whenever each has come") {
    forAll(cases, Gen.long, Gen.long) { (input, a, b) =>
      val of = AggregateSpec[String, Moments, Option[Double]](
        input.windows,
        key,
        Functions.variance[StreamTuple](t => 1.0 / (1 + t.attrs(0))),
        Some(keyOrder)
      )
      def run(seed: Long) = opened(WiML, of, input.feeds.size, all)(inRuns(_, input.feeds, seed))
      assert(run(a) == run(b))
    }
  }
}
