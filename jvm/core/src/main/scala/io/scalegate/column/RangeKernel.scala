package io.scalegate.column

/** The inner loop of every nested-loop probe: finds the slots of a column whose value lies in a
  * range.
  *
  * A range test is one subtraction and one comparison: `lo <= v && v <= hi` is `v - lo <= hi -
  * lo` on unsigned integers, and on signed ones when both sides are shifted by half the number
  * range. The caller gives `lo <= hi` and `out` with room for `until - from` more slots. No
  * state: any thread.
  */
abstract private[scalegate] class RangeKernel {

  /** What the kernel is built with, for metrics and benchmarks. */
  def name: String

  /** Writes to `out`, from index `count` on, each `k` in `[from, until)` whose value lies in
    * `[lo, hi]`, in rising order, and returns the number of slots that `out` then holds.
    */
  def select(
      column: Array[Int],
      from: Int,
      until: Int,
      lo: Int,
      hi: Int,
      out: Array[Int],
      count: Int
  ): Int

  def select(
      column: Array[Long],
      from: Int,
      until: Int,
      lo: Long,
      hi: Long,
      out: Array[Int],
      count: Int
  ): Int

  /** Of the slots in `out` from index `first` up to `count`, keeps those whose value lies in
    * `[lo, hi]`, and returns the number of slots that `out` then holds.
    */
  final def refine(
      column: Array[Int],
      lo: Int,
      hi: Int,
      out: Array[Int],
      first: Int,
      count: Int
  ): Int = {
    var kept = first
    var k = first
    while (k < count) {
      val v = column(out(k))
      if (lo <= v && v <= hi) {
        out(kept) = out(k)
        kept += 1
      }
      k += 1
    }
    kept
  }

  final def refine(
      column: Array[Long],
      lo: Long,
      hi: Long,
      out: Array[Int],
      first: Int,
      count: Int
  ): Int = {
    var kept = first
    var k = first
    while (k < count) {
      val v = column(out(k))
      if (lo <= v && v <= hi) {
        out(kept) = out(k)
        kept += 1
      }
      k += 1
    }
    kept
  }
}

private[scalegate] object RangeKernel {
  private[this] val VectorKernelClass = "io.scalegate.column.VectorKernel"

  /** The vector kernel when this JVM runs with `--add-modules jdk.incubator.vector`, else the
    * scalar one.
    *
    * The vector kernel is named by a string only: its class cannot be loaded without the module.
    */
  val best: RangeKernel =
    if (ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent)
      Class.forName(VectorKernelClass).getDeclaredConstructor().newInstance().asInstanceOf[
        RangeKernel
      ]
    else new ScalarKernel
}
