package io.scalegate.baseline

import io.scalegate.join.JoinResult
import io.scalegate.join.ordered.ResultOrder
import io.scalegate.stream.SpscRing

/** The result gathering of a [[SplitJoin]] (Najafi et al., §4.3): merges what the join cores found,
  * up to one punctuation of each after the other. The consumer's.
  *
  * @param cores
  *   each core's results, in the order of its tuples, with a punctuation after every so many
  * @param isStrict
  *   whether the results between two punctuations, then those of one tuple, are merged in order
  */
final private[baseline] class SplitJoinGathering(
    cores: IndexedSeq[SpscRing[JoinResult]],
    isStrict: Boolean
) {
  /*
   * An interval is over when each core has put a punctuation, or has ended: the punctuations are
   * taken together. Within the interval a strict gathering must have seen every core's next
   * result, or its punctuation, before it takes the lowest; a relaxed one takes what it finds.
   */
  private[this] var turn = 0
  private[this] var bound = Long.MinValue

  def isDone: Boolean = cores.forall(_.isDone)

  def frontier: Long = if (isDone) Long.MaxValue else bound

  /** The next result, or null when there is none yet. */
  def poll(): JoinResult = {
    var core = next()
    while (core < 0 && isOver) {
      pass()
      core = next()
    }
    if (core < 0) null else take(core)
  }

  private[this] def take(core: Int): JoinResult = {
    val result = cores(core).poll()
    if (isStrict) bound = math.max(bound, result.ts)
    result
  }

  /** The core whose result is next within the interval; -1 when there is none, or none yet. */
  private[this] def next(): Int = if (isStrict) lowest() else any()

  private[this] def lowest(): Int = {
    var best = -1
    var isComplete = true
    var i = 0
    while (i < cores.length && isComplete) {
      val head = cores(i).peek()
      if (head == null) isComplete = cores(i).isDone
      else if (head.earlier != null && (best < 0 || isBefore(head, cores(best).peek()))) best = i
      i += 1
    }
    if (isComplete) best else -1
  }

  private[this] def isBefore(a: JoinResult, b: JoinResult): Boolean =
    ResultOrder.compare(a, b) < 0

  private[this] def any(): Int = {
    var tried = 0
    while (tried < cores.length) {
      turn = if (turn + 1 < cores.length) turn + 1 else 0
      val head = cores(turn).peek()
      if (head != null && head.earlier != null) return turn
      tried += 1
    }
    -1
  }

  /** Whether the interval has ended, and was not the last. */
  private[this] def isOver: Boolean = {
    var ended = 0
    var i = 0
    while (i < cores.length) {
      val head = cores(i).peek()
      if (head == null) {
        if (!cores(i).isDone) return false
        ended += 1
      } else if (head.earlier != null) return false
      i += 1
    }
    ended < cores.length
  }

  private[this] def pass(): Unit = {
    var i = 0
    while (i < cores.length) {
      val punctuation = cores(i).poll()
      if (punctuation != null) bound = math.max(bound, punctuation.ts)
      i += 1
    }
  }
}
