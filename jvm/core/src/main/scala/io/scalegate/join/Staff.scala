package io.scalegate.join

import io.scalegate.stream.Work

/** The threads of an [[ElasticJoin]], and what those have done that have left and ended.
  *
  * @param hasLeft
  *   whether a thread is one that leaves, or has left
  * @param done
  *   what a thread has done so far
  * @param departed
  *   the sum of those that were forgotten
  */
final private[scalegate] class Staff[W <: Work](
    val workers: Vector[W],
    hasLeft: W => Boolean,
    done: W => WorkerMetrics,
    departed: Option[WorkerMetrics] = None
) {

  /** Those that share what is to come. */
  def present: Vector[W] = workers.filterNot(hasLeft)

  /** With those that have left, and ended, as one. */
  def withoutEnded: Staff[W] = {
    val (ended, rest) = workers.partition(w => hasLeft(w) && w.hasEnded)
    val sum = (departed ++ ended.map(done)).reduceOption((a, b) =>
      WorkerMetrics(
        a.comparisons + b.comparisons,
        a.matches + b.matches,
        a.stored + b.stored,
        a.peakWindowRows + b.peakWindowRows
      )
    )
    new Staff(rest, hasLeft, done, sum)
  }

  def +(worker: W): Staff[W] = new Staff(workers :+ worker, hasLeft, done, departed)

  /** By thread; those that were forgotten are the last. */
  def metrics: Vector[WorkerMetrics] = workers.map(done) ++ departed
}
