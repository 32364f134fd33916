package io.scalegate.partition

/** Where each key is.
  *
  * @param replicasOf
  *   the replicas of the i-th key, the one that it had first in front
  * @param loads
  *   the load of each replica
  */
final class KeyAssignment(
    val replicasOf: IndexedSeq[IndexedSeq[Int]],
    val loads: IndexedSeq[Double]
) {

  /** `S(k)`: the splitting degree of the i-th key. */
  def degree(i: Int): Int = replicasOf(i).length

  /** 0 when there are no keys. */
  def averageDegree: Double =
    if (replicasOf.isEmpty) 0 else replicasOf.map(_.length.toDouble).sum / replicasOf.length

  /** The highest load over the average; 1 when nothing is to do. */
  def imbalance: Double = KeyAssignment.imbalance(loads.toArray)
}

object KeyAssignment {

  /** The highest load over the average; 1 when there is none. */
  private[scalegate] def imbalance(loads: Array[Double]): Double = {
    var total = 0.0
    var highest = 0.0
    var j = 0
    while (j < loads.length) {
      total += loads(j)
      highest = math.max(highest, loads(j))
      j += 1
    }
    if (total == 0) 1 else highest * loads.length / total
  }
}
