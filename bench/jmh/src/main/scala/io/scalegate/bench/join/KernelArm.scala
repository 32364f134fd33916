package io.scalegate.bench.join

import io.scalegate.column.RangeKernel

/** The nested loop alone, without gates, windows or results: each thread walks both streams in
  * time order and probes with every `threads`-th tuple the other stream's rows within the window,
  * counting matches. The split and the comparisons are those of the C++ kernel `nl` that it is
  * measured against.
  */
final class KernelArm(
    r: BandColumns,
    s: BandColumns,
    ws: Long,
    threads: Int,
    kernel: RangeKernel
) {
  private[this] val matches = new Array[Long](threads)
  private[this] val compared = new Array[Long](threads)

  def run(): ArmResult = {
    val start = System.nanoTime()
    val workers = (0 until threads).map(t => new Thread(() => walk(t), s"kernel-$t"))
    workers.foreach(_.start())
    workers.foreach(_.join())
    ArmResult((System.nanoTime() - start) / 1e9, matches.sum, compared.toVector)
  }

  private[this] def walk(thread: Int): Unit = {
    val out = new Array[Int](math.max(r.size, s.size))
    var ir = 0
    var is = 0
    var firstR = 0
    var firstS = 0
    var turn = 0
    var count = 0L
    var comparisons = 0L
    while (ir < r.size || is < s.size) {
      if (is >= s.size || (ir < r.size && r.ts(ir) <= s.ts(is))) {
        while (firstS < is && s.ts(firstS) < r.ts(ir) - ws) firstS += 1
        if (turn == thread) {
          count += probe(s, firstS, is, r.i(ir), r.f(ir), out)
          comparisons += is - firstS
        }
        ir += 1
      } else {
        while (firstR < ir && r.ts(firstR) < s.ts(is) - ws) firstR += 1
        if (turn == thread) {
          count += probe(r, firstR, ir, s.i(is), s.f(is), out)
          comparisons += ir - firstR
        }
        is += 1
      }
      turn = if (turn + 1 == threads) 0 else turn + 1
    }
    matches(thread) = count
    compared(thread) = comparisons
  }

  private[this] def probe(
      to: BandColumns,
      from: Int,
      until: Int,
      x: Int,
      y: Float,
      out: Array[Int]
  ): Long = {
    val n = kernel.select(to.i, from, until, x - 10, x + 10, out, 0)
    var count = 0L
    var k = 0
    while (k < n) {
      if (math.abs(to.f(out(k)) - y) <= 10f) count += 1
      k += 1
    }
    count
  }
}
