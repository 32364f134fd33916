package io.scalegate.spark.join

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BasePredicate,
  Expression,
  JoinedRow,
  Predicate
}

import io.scalegate.stream.{Side, Sides}

/** Whether a probe row and a row that was found for it are a pair. Made within a task; one thread.
  *
  * @param probed
  *   the columns of the probe side, as `searched` are those of the build side
  * @param accepts
  *   what is left of the condition; all that is found is a match if there is nothing left
  */
final class PairTest(
    val probing: Probing,
    val probed: Int,
    val searched: Int,
    accepts: Option[BasePredicate]
) {
  private[this] val candidate = new JoinedRow
  private[this] val condition = accepts.orNull
  private[this] val fromLeft = probing.side eq Side.R

  /** Whether all that is found is. */
  val isPassed: Boolean = condition == null

  /** To be asked where not all that is found is. */
  def holds(probe: InternalRow, found: InternalRow): Boolean = {
    if (fromLeft) candidate(probe, found) else candidate(found, probe)
    condition.eval(candidate)
  }
}

object PairTest {

  /** A condition on pairs of rows of these columns, for one thread of the running task. */
  def predicate(condition: Expression, columns: Sides[Seq[Attribute]]): BasePredicate = {
    val made = Predicate.create(condition, columns.left ++ columns.right)
    made.initialize(TaskContext.getPartitionId())
    made
  }
}
