package io.scalegate.aggregate

import io.scalegate.stream.{Lifecycle, StreamTuple, WaitingSource}

/** What running aggregates have in common: inputs that check what they take, failure and
  * shut-down.
  */
abstract private[aggregate] class MultiwayAggregate[K, R](inputs: Int)
    extends RunningAggregate[K, R] {
  require(inputs > 0, s"an aggregate needs at least one input, not $inputs")

  protected val ending = new Lifecycle("aggregate")

  /** Takes a tuple of an input, or says that it is full. */
  protected def offer(t: StreamTuple, input: Int): Boolean
  protected def promise(input: Int, ts: Long): Unit
  protected def end(input: Int): Unit

  /** The next results; null when none are complete. */
  protected def take(): WindowResults[K, R]
  protected def isExhausted: Boolean
  protected def reached: Long

  final lazy val sources: IndexedSeq[WaitingSource] = Vector.tabulate(inputs)(new Input(_))

  final def poll(): WindowResults[K, R] = {
    ending.throwIfFailed()
    val results = guarded(take())
    ending.throwIfFailed()
    results
  }

  final def frontier: Long = {
    val time = reached
    ending.throwIfFailed()
    time
  }

  final def isDone: Boolean = isExhausted && !ending.hasFailed

  def close(): Unit = ending.close()

  final private[aggregate] def fail(e: Throwable): Unit = ending.fail(e)
  final private[aggregate] def throwIfFailed(): Unit = ending.throwIfFailed()

  /** What the user's code throws ends the aggregate, and is the caller's too. */
  final protected def guarded[A](body: => A): A =
    try body
    catch {
      case e: Throwable =>
        ending.fail(e)
        throw e
    }

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
