package io.scalegate.lookup

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.stream.Side

/** A lookup's rows against a filter over all rows, whichever way the attributes compare and whichever side is indexed. */
final class InequalitiesSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100, sizeRange = 200)

  private case class Row(key: Long, first: Long, second: Long)

  private def values(spread: Long): Gen[Long] = Gen.frequency(
    12 -> Gen.choose(-spread, spread),
    1 -> Gen.oneOf(Long.MinValue, Long.MaxValue)
  )

  private def rows(spread: Long): Gen[Row] = for {
    key <- Gen.choose(0L, 2L)
    first <- values(spread)
    second <- values(spread)
  } yield Row(key, first, second)

  private val cases = for {
    spread <- Gen.oneOf(3L, 60L, 5000L)
    indexed <- Gen.containerOf[Vector, Row](rows(spread))
    probes <- Gen.containerOfN[Vector, Row](20, rows(spread))
  } yield (indexed, probes)

  private def holds(atMost: Boolean, left: Long, right: Long) =
    if (atMost) left <= right else left >= right

  for {
    side <- Seq(Side.R, Side.S)
    firstAtMost <- Seq(true, false)
    secondAtMost <- Seq(true, false)
    keyed <- Seq(true, false)
  } test(
    s"a probe finds each ${if (side eq Side.R) "left" else "right"} row, once, where the left is at ${if (firstAtMost) "most"
      else "least"} and at ${if (secondAtMost) "most" else "least"}, ${if (keyed) "with"
      else "without"} a key"
  ) {
    forAll(cases) { case (indexed, probes) =>
      val index = Inequalities((firstAtMost, secondAtMost)).index(
        side,
        Option.when(keyed)(indexed.map(_.key).toArray),
        indexed.map(_.first).toArray,
        indexed.map(_.second).toArray
      )
      val lookup = index.lookup()
      probes.foreach { p =>
        val expected = indexed.indices.filter { i =>
          val (left, right) = if (side eq Side.R) (indexed(i), p) else (p, indexed(i))
          holds(firstAtMost, left.first, right.first) && holds(
            secondAtMost,
            left.second,
            right.second
          ) && (!keyed || left.key == right.key)
        }
        lookup.start((if (keyed) Seq(p.key) else Nil).toArray ++ Array(p.first, p.second))
        val found = Iterator.continually(lookup.next()).takeWhile(_ >= 0).map(index.order(_))
        assert(found.toSeq.sorted == expected)
      }
    }
  }
}
