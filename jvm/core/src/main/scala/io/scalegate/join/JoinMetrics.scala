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
)

object WorkerMetrics {
  val Zero: WorkerMetrics = WorkerMetrics(0, 0, 0, 0)
}

/** What a join has done, by thread. */
final case class JoinMetrics(workers: IndexedSeq[WorkerMetrics]) {
  def comparisons: Long = workers.map(_.comparisons).sum

  def matches: Long = workers.map(_.matches).sum

  def stored: Long = workers.map(_.stored).sum

  def peakWindowRows: Long = workers.map(_.peakWindowRows).sum

  /** The standard deviation of the threads' comparisons as a share of their mean: ScaleJoin's
    * measure of skew (§VI). 0 when there were none.
    */
  def skew: Double = {
    val mean = comparisons.toDouble / workers.length
    if (mean == 0) 0
    else
      math.sqrt(workers.map(w => math.pow(w.comparisons - mean, 2)).sum / workers.length) / mean
  }
}
