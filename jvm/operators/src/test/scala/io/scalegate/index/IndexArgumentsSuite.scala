package io.scalegate.index

import org.scalatest.funsuite.AnyFunSuite

/** Arguments that make no index, and what the error says. */
class IndexArgumentsSuite extends AnyFunSuite {
  private def refusal(body: => Any): String =
    intercept[IllegalArgumentException](body).getMessage

  test("a merge ratio outside of (0, 1] is refused") {
    for (m <- Seq(0.0, -0.1, 1.0000001, 2.0, Double.NaN, Double.PositiveInfinity))
      assert(
        refusal(MergePolicy(10, m)).contains(s"merge ratio is $m") &&
          refusal(MergePolicy(10, m)).contains("above 0 and at most 1")
      )
    assert(MergePolicy(10, 1).mergeRatio == 1.0)
  }

  test("a window of no tuple is refused") {
    for (w <- Seq(0, -1, Int.MinValue)) {
      assert(refusal(MergePolicy(w, 0.5)).contains(s"window of a merge tree is $w tuples"))
      assert(refusal(new ChainedIndex(w, 2, true)).contains(s"chained index is $w tuples"))
    }
  }

  test("a chain of fewer than two subindexes is refused") {
    for (length <- Seq(1, 0, -3))
      assert(refusal(new ChainedIndex(10, length, false)).contains("at least 2"))
  }

  test("a negative insertion depth is refused") {
    val policy = MergePolicy(10, 0.5)
    assert(refusal(new PimTree(policy, -1)).contains("insertion depth is -1"))
    assert(refusal(new ConcurrentPimTree(policy, -1)).contains("insertion depth is -1"))
  }

  test("positions that do not rise are refused where tuples leave one by one") {
    val index = new BPlusTreeIndex
    index.insert(1, 5)
    assert(refusal(index.insert(2, 5)).contains("5 comes after 5"))
    assert(refusal(index.insert(2, 4)).contains("4 comes after 5"))
    index.insert(2, 6)
    assert(index.size == 2)
  }
}
