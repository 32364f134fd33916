package io.scalegate.multiway.design

import io.scalegate.gate.TGate
import io.scalegate.multiway.function.StateTable
import io.scalegate.multiway.winset.KeyedWinsets
import io.scalegate.multiway.{
  AggregateDesign,
  AggregateOptions,
  AggregateSpec,
  MultiwayAggregate,
  RunningAggregate,
  SequenceSpec,
  WindowResults
}
import io.scalegate.stream.{EventOrder, StreamTuple, Work}

/** Tuple Merged List, Multiple Consumers (multiway aggregation, §5.4): the inputs' threads merge
  * by a T-Gate, `threads` update threads read every ready tuple and add those of their own keys
  * to the windows of a W-Hive, the consumer makes the results.
  */
final class TuMLMC(threads: Int) extends AggregateDesign {
  require(threads > 0, s"an aggregate needs at least one update thread, not $threads")

  def name: String = s"TuMLMC($threads)"

  def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = {
    val winsets = KeyedWinsets(spec, threads, isKeyOwned = true)
    val aggregate = new UpdatedInParallel(spec, winsets, inputs, threads, options)
    aggregate.start()
    aggregate
  }

  /** Each update thread has the windows of its keys, and its results are merged by another T-Gate.
    */
  def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = {
    val aggregate = new SequencesInParallel(spec, inputs, threads, options)
    aggregate.start()
    aggregate
  }
}

private object TuMLMC {

  /** Whether a key is this thread's; by other bits of the hash than those that place the key in a
    * thread's table.
    */
  def isMine(key: Any, threads: Int, share: Int): Boolean =
    threads == 1 || ((StateTable.hash(key) >>> 16) * threads) >>> 16 == share
}

final private class UpdatedInParallel[K, S <: AnyRef, R, W <: AnyRef](
    spec: AggregateSpec[K, S, R],
    winsets: KeyedWinsets[K, S, R, W],
    inputs: Int,
    threads: Int,
    options: AggregateOptions
) extends MultiwayAggregate[K, R](inputs, options.idle) {
  /*
   *     inputs         T-Gate           update threads         W-Hive          consumer
   *                                 +-> U 0: its keys --+
   *     I 0 --+                     |                   |
   *     I 1 --+--> sorted, ready ---+-> U 1: its keys --+--> winsets ------> results, sorted
   *     I 2 --+                     |                   |
   *                                 +-> ...           --+
   *
   * A key has one thread, by the key's hash, which adds its tuples in their order; so
   * order-sensitive functions are served. Each thread reads every tuple, and promises the hive
   * the time of each, whose ever it is: a winset is complete when every thread is past it. A
   * thread that finds nothing ready promises its reader's horizon, so that a winset waits for no
   * tuple that no input can deliver.
   *
   * A thread may wait for room in the hive, while the gate fills. The hive lets the one through
   * that is furthest behind, unless the consumer has something to take.
   *
   * Memory order: the gate publishes tuples, the hive winsets; a thread's failure is recorded
   * before it ends, and a failed thread leaves its place in the hive open, so that nothing it has
   * not finished is handed out.
   */
  private[this] val gate =
    new TGate[StreamTuple](EventOrder.Tuples, inputs, threads, options.inputCapacity)
  private[this] val hive = winsets.hive(options, threads)

  override protected def ownWork: Iterable[Work] = Vector.tabulate(threads)(new UpdateThread(_))

  protected def offer(t: StreamTuple, input: Int): Boolean = gate.insertTuple(t, input)
  protected def promise(input: Int, ts: Long): Unit =
    gate.advance(input, StreamTuple.punctuation(ts, input))
  protected def end(input: Int): Unit = gate.close(input)

  protected def take(): WindowResults[K, R] = winsets.taken(hive.getNextWinSet())

  protected def isExhausted: Boolean = hive.isDone
  protected def reached: Long = hive.frontier()

  /** `U_i` of the paper. */
  final private[this] class UpdateThread(share: Int)
      extends Work(s"scalegate-aggregate-$share") {
    private[this] val handle = gate.handle(share)
    private[this] val room = ownThreads.waiting()

    def isFinished: Boolean = handle.isDone

    override def finish(): Unit = hive.close(share)

    def step(): Boolean = {
      val t = handle.getNextReadyTuple()
      if (t == null) hive.advance(share, handle.horizon())
      else if (isMine(t)) update(t)
      else hive.advance(share, t.ts)
      t != null
    }

    private[this] def update(t: StreamTuple): Unit =
      if (!hive.updateWindows(t, share)) room.until(hive.updateWindows(t, share))

    private[this] def isMine(t: StreamTuple): Boolean =
      TuMLMC.isMine(spec.key(t), threads, share)
  }
}
