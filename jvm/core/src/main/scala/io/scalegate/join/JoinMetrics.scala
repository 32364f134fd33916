package io.scalegate.join

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
