package io.scalegate.column

import jdk.incubator.vector.{IntVector, LongVector, VectorOperators}

/** The range test on a vector of values at a time. Needs `--add-modules jdk.incubator.vector`;
  * loaded by name through [[RangeKernel.best]] only.
  */
final private[scalegate] class VectorKernel extends RangeKernel {
  /*
   * Four vectors make a block. Shifted so that a match is a small signed number, the block's
   * lane-wise minimum is in the range exactly when one of the four is, so a block without a match
   * costs one subtraction and one minimum per vector and a single comparison. A block with a
   * match is gone through again by vector, and only a vector with a match by value.
   */
  import VectorKernel._

  def name: String = s"vector-${Ints.vectorBitSize}"

  def select(
      column: Array[Int],
      from: Int,
      until: Int,
      lo: Int,
      hi: Int,
      out: Array[Int],
      count: Int
  ): Int = {
    val lanes = Ints.length
    val shift = lo - Int.MinValue
    val bound = hi - shift
    var n = count
    var k = from
    val end = until - 4 * lanes
    while (k <= end) {
      val a = IntVector.fromArray(Ints, column, k).sub(shift)
      val b = IntVector.fromArray(Ints, column, k + lanes).sub(shift)
      val c = IntVector.fromArray(Ints, column, k + 2 * lanes).sub(shift)
      val d = IntVector.fromArray(Ints, column, k + 3 * lanes).sub(shift)
      if (a.min(b).min(c.min(d)).compare(VectorOperators.LE, bound).anyTrue) {
        if (a.compare(VectorOperators.LE, bound).anyTrue)
          n = ScalarKernel.select(column, k, k + lanes, lo, hi, out, n)
        if (b.compare(VectorOperators.LE, bound).anyTrue)
          n = ScalarKernel.select(column, k + lanes, k + 2 * lanes, lo, hi, out, n)
        if (c.compare(VectorOperators.LE, bound).anyTrue)
          n = ScalarKernel.select(column, k + 2 * lanes, k + 3 * lanes, lo, hi, out, n)
        if (d.compare(VectorOperators.LE, bound).anyTrue)
          n = ScalarKernel.select(column, k + 3 * lanes, k + 4 * lanes, lo, hi, out, n)
      }
      k += 4 * lanes
    }
    ScalarKernel.select(column, k, until, lo, hi, out, n)
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
    val lanes = Longs.length
    val shift = lo - Long.MinValue
    val bound = hi - shift
    var n = count
    var k = from
    val end = until - 4 * lanes
    while (k <= end) {
      val a = LongVector.fromArray(Longs, column, k).sub(shift)
      val b = LongVector.fromArray(Longs, column, k + lanes).sub(shift)
      val c = LongVector.fromArray(Longs, column, k + 2 * lanes).sub(shift)
      val d = LongVector.fromArray(Longs, column, k + 3 * lanes).sub(shift)
      if (a.min(b).min(c.min(d)).compare(VectorOperators.LE, bound).anyTrue)
        n = ScalarKernel.select(column, k, k + 4 * lanes, lo, hi, out, n)
      k += 4 * lanes
    }
    ScalarKernel.select(column, k, until, lo, hi, out, n)
  }
}

private[scalegate] object VectorKernel {
  private val Ints = IntVector.SPECIES_PREFERRED
  private val Longs = LongVector.SPECIES_PREFERRED
}
