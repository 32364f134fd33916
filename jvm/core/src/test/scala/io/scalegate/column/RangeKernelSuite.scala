package io.scalegate.column

import java.util.SplittableRandom

import org.scalatest.funsuite.AnyFunSuite

/** Every kernel against a filter over the column, at every length of tail and at the ends of the
  * types.
  */
class RangeKernelSuite extends AnyFunSuite {
  private val kernels = Seq(new ScalarKernel, new VectorKernel)

  private def naive[A](column: Array[A], from: Int, until: Int)(in: A => Boolean): Seq[Int] =
    (from until until).filter(k => in(column(k)))

  private def ints(
      kernel: RangeKernel,
      column: Array[Int],
      from: Int,
      until: Int,
      lo: Int,
      hi: Int
  ) = {
    val out = Array.fill(column.length + 2)(-1)
    val n = kernel.select(column, from, until, lo, hi, out, 1)
    assert(out(0) == -1 && out(n) == -1, "wrote outside of its part of the buffer")
    out.slice(1, n).toSeq
  }

  private def longs(
      kernel: RangeKernel,
      column: Array[Long],
      from: Int,
      until: Int,
      lo: Long,
      hi: Long
  ) = {
    val out = Array.fill(column.length + 2)(-1)
    val n = kernel.select(column, from, until, lo, hi, out, 1)
    assert(out(0) == -1 && out(n) == -1, "wrote outside of its part of the buffer")
    out.slice(1, n).toSeq
  }

  private val intRanges = Seq(
    (-10, 10),
    (0, 0),
    (Int.MinValue, Int.MaxValue),
    (Int.MinValue, Int.MinValue),
    (Int.MaxValue, Int.MaxValue),
    (Int.MinValue, 0),
    (0, Int.MaxValue),
    (-1, 0)
  )

  private def someInt(random: SplittableRandom): Int = random.nextInt(8) match {
    case 0 => Int.MinValue
    case 1 => Int.MaxValue
    case 2 => random.nextInt()
    case _ => random.nextInt(-12, 13)
  }

  private def widen(i: Int): Long =
    if (i == Int.MinValue) Long.MinValue else if (i == Int.MaxValue) Long.MaxValue else i.toLong

  for (kernel <- kernels) {
    test(s"${kernel.name}: Int columns of every length, offset and kind of range") {
      val random = new SplittableRandom(1)
      for (length <- 0 to 200; from <- Seq(0, 1, 7).filter(_ <= length); (lo, hi) <- intRanges) {
        val column = Array.fill(length)(someInt(random))
        val expected = naive(column, from, length)(v => lo <= v && v <= hi)
        assert(ints(kernel, column, from, length, lo, hi) == expected)
      }
    }

    test(s"${kernel.name}: Long columns of every length, offset and kind of range") {
      val random = new SplittableRandom(2)
      for (length <- 0 to 200; from <- Seq(0, 1, 7).filter(_ <= length); (a, b) <- intRanges) {
        val (lo, hi) = (widen(a), widen(b))
        val column = Array.fill(length)(widen(someInt(random)))
        val expected = naive(column, from, length)(v => lo <= v && v <= hi)
        assert(longs(kernel, column, from, length, lo, hi) == expected)
      }
    }

    test(s"${kernel.name}: a single match is found wherever it lies") {
      for (at <- 0 until 150) {
        val column = Array.fill(150)(if (at % 2 == 0) 11 else 9)
        column(at) = 10
        assert(ints(kernel, column, 0, 150, 10, 10) == Seq(at))
        assert(longs(kernel, column.map(_.toLong), 0, 150, 10L, 10L) == Seq(at))
      }
    }

    test(s"${kernel.name}: a match outside of [from, until) is not reported") {
      val column = Array.fill(300)(0)
      for (i <- 50 until 200) column(i) = 5
      assert(ints(kernel, column, 60, 180, 0, 0).isEmpty)
      assert(ints(kernel, column, 40, 210, 0, 0) == (40 until 50) ++ (200 until 210))
    }

    test(s"${kernel.name}: refining keeps what comes before and the order") {
      val column = Array(5, 1, 7, 5, 9, 5)
      val out = Array(2, 4, 0, 1, 3, 5)
      val n = kernel.refine(column, 5, 7, out, 2, 6)
      assert(out.take(n).toSeq == Seq(2, 4, 0, 3, 5))
      val again = Array(2, 4, 0, 1, 3, 5)
      assert(kernel.refine(column.map(_.toLong), 5L, 7L, again, 2, 6) == n)
      assert(again.take(n).toSeq == out.take(n).toSeq)
    }
  }

  test("this JVM, which has the Vector API, probes with it") {
    assert(RangeKernel.best.isInstanceOf[VectorKernel])
  }
}
