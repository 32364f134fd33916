package io.scalegate.multiway.function

import org.scalatest.funsuite.AnyFunSuite

class KeyNumbersSuite extends AnyFunSuite {
  private def number(in: KeyNumbers, key: Any): Int =
    in.number(key.asInstanceOf[AnyRef], StateTable.hash(key))

  for (expected <- Seq(0, 1, 7, 5000))
    test(s"keys are numbered as they come, where $expected were expected") {
      val numbers = new KeyNumbers(expected)
      val keys = Vector.tabulate[Any](2000)(i => if (i % 2 == 0) s"k$i" else i.toLong << 20)
      for (round <- 0 to 1; (k, i) <- keys.zipWithIndex) assert(number(numbers, k) == i, round)
      assert(numbers.length == 2000 && numbers.all.take(2000).sameElements(keys))
    }

  test("keys that are equal have one number, null among them") {
    val numbers = new KeyNumbers(1)
    val keys = Seq[Any]("a", null, new String("a"), 1, 1L, null, 1.0, "b")
    assert(keys.map(number(numbers, _)) == Seq(0, 1, 0, 2, 2, 1, 2, 3))
  }

  test("keys of one hash are told apart") {
    final case class Same(i: Int) { override def hashCode = 0x7fffffff }
    val numbers = new KeyNumbers(1)
    for (_ <- 0 to 1; i <- 0 until 100) assert(number(numbers, Same(i)) == i)
  }
}
