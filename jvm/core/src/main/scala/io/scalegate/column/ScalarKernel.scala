package io.scalegate.column

/** The range test one value at a time: for a JVM without the Vector API, and the tails of the
  * vector kernel. One comparison per value. The inner loops search and store nothing, which is
  * the form that the compiler unrolls best: half as fast again as one loop that also stores.
  */
final private[scalegate] class ScalarKernel extends RangeKernel {
  def name: String = "scalar"

  def select(
      column: Array[Int],
      from: Int,
      until: Int,
      lo: Int,
      hi: Int,
      out: Array[Int],
      count: Int
  ): Int = ScalarKernel.select(column, from, until, lo, hi, out, count)

  def select(
      column: Array[Long],
      from: Int,
      until: Int,
      lo: Long,
      hi: Long,
      out: Array[Int],
      count: Int
  ): Int = ScalarKernel.select(column, from, until, lo, hi, out, count)
}

private[scalegate] object ScalarKernel {

  def select(
      column: Array[Int],
      from: Int,
      until: Int,
      lo: Int,
      hi: Int,
      out: Array[Int],
      count: Int
  ): Int = {
    val shift = lo - Int.MinValue
    val bound = hi - shift
    var n = count
    var k = from
    while (k < until) {
      while (k < until && column(k) - shift > bound) k += 1
      if (k < until) {
        out(n) = k
        n += 1
        k += 1
      }
    }
    n
  }

  def select(
      column: Array[Long],
      from: Int,
      until: Int,
      lo: Long,
      hi: Long,
      out: Array[Int],
      count: Int
  ): Int = {
    val shift = lo - Long.MinValue
    val bound = hi - shift
    var n = count
    var k = from
    while (k < until) {
      while (k < until && column(k) - shift > bound) k += 1
      if (k < until) {
        out(n) = k
        n += 1
        k += 1
      }
    }
    n
  }
}
