package io.scalegate.join.ordered

import io.scalegate.join.{ElasticJoin, JoinOptions, JoinSpec, JoinStrategy}
import io.scalegate.stream.Side

/** ScaleJoin (Gulisano et al., Algorithm 1): `threads` processing threads between two ScaleGates.
  * Each reads every ready tuple, compares it with its own share of the opposite window, and
  * stores its turn of the stream's tuples. Deterministic, and evenly loaded whatever the values,
  * rates and number of sources. The number of threads may change while it runs, as in STRETCH
  * (Gulisano et al., IEEE TPDS 2022).
  */
final class ScaleJoin(threads: Int) extends JoinStrategy {
  require(threads > 0, s"a join needs at least one thread, not $threads")

  def name: String = s"ScaleJoin($threads)"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): ElasticJoin = {
    val join = new RunningScaleJoin(spec, sources, options, threads)
    join.start()
    join
  }
}

final private class RunningScaleJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    threads: Int
) extends SharedStepsJoin(
      spec,
      sides,
      options,
      threads,
      new ScannedWindow(_, spec, options.maxWindowRows)
    ) {
  /*
   *    sources            SG_in             processing threads          SG_out          consumer
   *                                      +-> PT 0: W_R/n, W_S/n --+
   *    R --tryAdd--+                     |                        |
   *    R --tryAdd--+--> sorted, ready ---+-> PT 1: W_R/n, W_S/n --+--> sorted, ready --> poll
   *    S --tryAdd--+                     |                        |
   *                                      +-> ...                --+
   *
   * The gates are the only state that threads share while they work: a thread's windows, buffers
   * and predicate are its own. Each thread is a reader of SG_in and a source of SG_out.
   *
   * A thread that finds no match is silent at SG_out and would hold back the others' results. So
   * it promises there, every few tuples and whenever it runs out of ready ones, that nothing is
   * to come for the last tuple it has passed. This also keeps the join from locking up when a
   * thread waits for room in SG_out: the others, before they can wait for input, promise at least
   * the tuple it stands on, and with that all its results are ready. If all wait for room, the
   * one with the lowest last result has all of its own ready.
   *
   * Threads that join and leave: see SharedStepsJoin. The reader of one that has not left is not
   * closed: SG_in ends with it.
   *
   * Memory order: tuples and results are published by the gates. The end of a thread is published
   * by closing its source of SG_out, after its metrics; a failure is recorded before that (see
   * GatedJoin), so a consumer that is let through by a dying thread's closed source finds the
   * failure when it looks next.
   */
}
