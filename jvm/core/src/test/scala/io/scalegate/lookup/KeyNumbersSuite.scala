package io.scalegate.lookup

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

final class KeyNumbersSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val keys = Gen.listOf(
    Gen.oneOf(
      Gen.choose(-20L, 20L),
      Gen.choose(Long.MinValue, Long.MaxValue),
      Gen.choose(0L, 40L).map(_ << 40),
      Gen.oneOf(0L, Long.MinValue, Long.MaxValue)
    )
  )

  test("keys are numbered in the order in which they first come") {
    forAll(keys) { all =>
      val numbers = new KeyNumbers
      val distinct = all.distinct
      assert(all.map(numbers.add) == all.map(distinct.indexOf))
      assert(numbers.size == distinct.size)
      assert(all.map(numbers.numberOf) == all.map(distinct.indexOf))
      val others = all.map(_ + 1).filterNot(distinct.contains)
      assert(others.forall(numbers.numberOf(_) < 0))
    }
  }

  test("many keys have as many numbers") {
    val numbers = new KeyNumbers
    for (i <- 0 until 100000) assert(numbers.add(i * 4096L) == i)
    for (i <- 0 until 100000) assert(numbers.numberOf(i * 4096L) == i)
    assert(numbers.numberOf(1) < 0)
  }
}
