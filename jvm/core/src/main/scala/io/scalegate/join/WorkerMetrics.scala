package io.scalegate.join

/** What one thread of a join has done.
  *
  * @param comparisons
  *   rows tested against a tuple's ranges
  * @param matches
  *   results
  * @param stored
  *   tuples that entered this thread's share of a window
  * @param peakWindowRows
  *   the most rows of both streams' windows, each at its own peak
  */
final case class WorkerMetrics(
    comparisons: Long,
    matches: Long,
    stored: Long,
    peakWindowRows: Long
) {

  /** With what the thread has done afterwards, in windows that took the place of its first. */
  private[scalegate] def and(later: WorkerMetrics): WorkerMetrics = WorkerMetrics(
    comparisons + later.comparisons,
    matches + later.matches,
    stored + later.stored,
    math.max(peakWindowRows, later.peakWindowRows)
  )
}

object WorkerMetrics {
  val Zero: WorkerMetrics = WorkerMetrics(0, 0, 0, 0)
}
