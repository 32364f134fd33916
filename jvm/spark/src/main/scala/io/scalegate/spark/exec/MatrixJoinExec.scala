package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.expressions.{And, Attribute, EqualTo, Expression}
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning,
  UnknownPartitioning
}
import org.apache.spark.sql.execution.SparkPlan

/** The join of two batch inputs whose rows meet in the cells of a matrix, where no difference of theirs is bounded.
  * Each comes clustered by its cell. A task holds its rows of the side that does not probe; where its memory is
  * too small for them they are spilled, and read once for each block of the other's rows.
  *
  * @param cells
  *   of the matrix, each a partition
  * @param leftCell
  *   the last column of `left`, as `rightCell` is of `right`
  * @param leftAttributes
  *   what `by` relates, the cell first; `rightAttributes` likewise
  * @param residual
  *   what `by` leaves of the condition, evaluated on every candidate
  * @param condition
  *   all of it
  */
final case class MatrixJoinExec(
    probing: Probing,
    cells: Int,
    leftCell: Attribute,
    rightCell: Attribute,
    leftAttributes: Seq[Expression],
    rightAttributes: Seq[Expression],
    by: IndexBy,
    residual: Option[Expression],
    condition: Option[Expression],
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends PartitionsJoinNode {
  override protected def counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "rowsKept" -> "rows kept in cells",
    "peakWindow" -> "peak cell rows, sum over tasks",
    "spilledTasks" -> "tasks that read their rows again for want of memory"
  )

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(leftCell, rightCell).map { cell =>
      ClusteredDistribution(Seq(cell), requiredNumPartitions = Some(cells))
    }

  override def outputPartitioning: Partitioning =
    UnknownPartitioning(left.outputPartitioning.numPartitions)

  override protected def task: PartitionsJoinTask = {
    val inputs = Seq(leftAttributes -> left, rightAttributes -> right).map {
      case (attributes, input) => new BoundedInput(attributes, input.output)
    }
    val sameCell = EqualTo(leftCell, rightCell)
    val everyPair = Some(condition.fold[Expression](sameCell)(And(sameCell, _)))
    new IndexTask(
      probing,
      inputs(0),
      inputs(1),
      by,
      residual,
      Some(new BlockLoopTask(probing, inputs(0), inputs(1), everyPair))
    )
  }

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
