package io.scalegate.multiway

import io.scalegate.stream.{IdleStrategy, Lifecycle, RunningOperator, StreamTuple, WaitingSource}

/** What running aggregates have in common: inputs that check what they take. */
abstract private[scalegate] class MultiwayAggregate[K, R](
    inputs: Int,
    newIdle: () => IdleStrategy = () => new IdleStrategy.Backoff()
) extends RunningOperator[WindowResults[K, R]](new Lifecycle("aggregate"), newIdle)
    with RunningAggregate[K, R] {
  require(inputs > 0, s"an aggregate needs at least one input, not $inputs")

  /** Takes a tuple of an input, or says that it is full. */
  protected def offer(t: StreamTuple, input: Int): Boolean
  protected def promise(input: Int, ts: Long): Unit
  protected def end(input: Int): Unit

  final lazy val sources: IndexedSeq[WaitingSource] = Vector.tabulate(inputs)(new Input(_))

  final private[this] class Input(val id: Int) extends WaitingSource {
    def tryAdd(t: StreamTuple): Boolean = {
      ending.throwIfStopped()
      if (t == null) throw new NullPointerException(s"$this was given null")
      if (t.source != id)
        throw new IllegalArgumentException(s"$this takes tuples of source $id, not ${t.source}")
      offer(t, id)
    }

    def advance(ts: Long): Unit = {
      ending.throwIfStopped()
      promise(id, ts)
    }

    def close(): Unit = end(id)

    override def toString: String = s"input $id"
  }
}
