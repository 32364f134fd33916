package io.scalegate.bench.index

/** What the steps of an index join took for so many tuples, in nanoseconds, and what both indexes
  * hold in the end.
  *
  * @param inserting
  *   with expiring, of the blocks of tuples in which nothing merged
  * @param merging
  *   the blocks in which an index merged: their insertions are the least of it
  */
final private[index] case class StepCosts(
    tuples: Int,
    probing: Long,
    inserting: Long,
    merging: Long,
    bytes: Long
) {
  def json(arm: String): String = {
    def each(nanos: Long) = f"${nanos.toDouble / tuples}%.1f"
    s"""{"arm": "$arm", "threads": 1, "tuples": $tuples, "seconds": [${(probing + inserting + merging) / 1e9}], """ +
      s""""probe ns": ${each(probing)}, "insert and expire ns": ${each(inserting)}, """ +
      s""""merge ns": ${each(merging)}, "index bytes": $bytes}"""
  }
}
