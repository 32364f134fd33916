package io.scalegate.multiway.design

import io.scalegate.gate.TGate
import io.scalegate.multiway.sequence.SequenceResult
import io.scalegate.multiway.{AggregateOptions, MultiwayAggregate, SequenceSpec, WindowResults}
import io.scalegate.stream.{EventOrder, StreamTuple, Work}

/** Windows of tuples and sessions in TuMLMC: update threads that read every ready tuple and have
  * the windows of their own keys.
  */
final private[scalegate] class SequencesInParallel[K, S <: AnyRef, R](
    spec: SequenceSpec[K, S, R],
    inputs: Int,
    threads: Int,
    options: AggregateOptions
) extends MultiwayAggregate[K, R](inputs, options.idle) {
  /*
   *     inputs --> T-Gate --> update threads, each the windows of its keys --> T-Gate --> consumer
   *
   * A thread's results come in the order of the windows' last tuples, and no tuple is the last one
   * of two windows that end: so results have a total order, and a second gate merges them. What a
   * thread promises there is that no result comes at or before the last tuple it has read, or,
   * with sessions open, before the first one's last tuple.
   *
   * A thread waits for room in the second gate while the consumer has something to take: its
   * results are of tuples that it has read, the other threads can read those too without any more
   * coming in, and have then promised that nothing comes before.
   */
  private[this] val gate =
    new TGate[StreamTuple](EventOrder.Tuples, inputs, threads, options.inputCapacity)
  private[this] val results = new TGate[SequenceResult[K, R]](
    new SequenceResult.Order[K, R],
    threads,
    1,
    options.winsetCapacity
  )
  private[this] val taken = results.handle(0)

  override protected def ownWork: Iterable[Work] = Vector.tabulate(threads)(new UpdateThread(_))

  protected def offer(t: StreamTuple, input: Int): Boolean = gate.insertTuple(t, input)
  protected def promise(input: Int, ts: Long): Unit =
    gate.advance(input, StreamTuple.punctuation(ts, input))
  protected def end(input: Int): Unit = gate.close(input)

  protected def take(): WindowResults[K, R] = {
    val result = taken.getNextReadyTuple()
    if (result == null) null else result.results
  }

  protected def isExhausted: Boolean = taken.isDone
  protected def reached: Long = taken.horizon()

  final private[this] class UpdateThread(share: Int)
      extends Work(s"scalegate-aggregate-$share") {
    private[this] val handle = gate.handle(share)
    private[this] val out = results.input(share)
    private[this] val windows = SequenceResult.windows(spec)
    private[this] val room = ownThreads.waiting()
    private[this] var read: StreamTuple = _ // the last one, which is still to be promised
    private[this] var reads = 0L

    def isFinished: Boolean = handle.isDone

    override def finish(): Unit = {
      var last = windows.takeAny()
      while (last != null) {
        give(last)
        last = windows.takeAny()
      }
      out.close()
    }

    def step(): Boolean = {
      val t = handle.getNextReadyTuple()
      if (t == null) {
        val horizon = handle.horizon()
        giveBefore(horizon)
        promise(horizon)
      } else {
        giveBefore(t.ts)
        val key = spec.key(t)
        if (TuMLMC.isMine(key, threads, share)) windows.add(t)
        read = t
        reads += 1
        if (reads % SequencesInParallel.Batch == 0) promise(t.ts)
      }
      t != null
    }

    private[this] def giveBefore(horizon: Long): Unit = {
      var result = windows.take(horizon)
      while (result != null) {
        give(result)
        result = windows.take(horizon)
      }
    }

    private[this] def give(result: SequenceResult[K, R]): Unit = {
      room.throwIfStopped() // there may be many windows to give
      if (!out.tryAdd(result)) room.until(out.tryAdd(result))
    }

    private[this] def promise(horizon: Long): Unit =
      if (!windows.isEmpty) promiseTime(math.min(horizon, windows.firstEnd))
      else {
        if (read != null) out.advance(SequenceResult.keyOf(read))
        read = null
        promiseTime(horizon)
      }

    /** That no result ends before it. */
    private[this] def promiseTime(ts: Long): Unit =
      out.advance(SequenceResult.keyOf(StreamTuple.heartbeat(ts)))
  }
}

private[scalegate] object SequencesInParallel {

  /** How many tuples are read between two promises, at most. */
  val Batch = 32
}
