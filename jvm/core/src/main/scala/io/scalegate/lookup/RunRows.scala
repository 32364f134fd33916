package io.scalegate.lookup

/** What the caller keeps for each row of a [[WindowRun]] beside its attributes: rows, marks. */
trait RunRows[A] {

  /** Rows of several runs as those of one.
    *
    * @param from
    *   what the runs keep
    * @param rows
    *   of each row of the new run where it was: the run's number in `from` in the upper half, and the row's
    *   in that run in the lower one
    */
  def gather(from: IndexedSeq[A], rows: Array[Long]): A

  /** Whether a row is of use still; one that is not goes when its run is merged. */
  def isKept(rows: A, number: Int): Boolean
}
