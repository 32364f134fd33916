package io.scalegate.spark.join.batch

import java.util.function.LongSupplier

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  Expression,
  JoinedRow,
  SpecificInternalRow,
  UnsafeProjection
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.scalegate.TaskAccess
import org.apache.spark.sql.types.LongType
import org.apache.spark.unsafe.hash.Murmur3_x86_32

import io.scalegate.band.CellBuffer
import io.scalegate.spark.join.Probing
import io.scalegate.spark.rows.{AttributeReader, TaskSort}
import io.scalegate.stream.Side

/** Gives each row of a join's input the cell that it is joined in: a column more, by which the rows are then
  * exchanged. A row that can find matches in several comes out once for each of them. Rows with a NULL among the
  * attributes match nothing: they are dropped, or go to any cell.
  *
  * @param attributes
  *   what decides the cell, over the child's output
  * @param side
  *   which of the join's sides the input is
  * @param whole
  *   whether rows that match nothing are kept
  * @param cell
  *   the column that is added, BIGINT, never NULL
  */
final case class SliceExec(
    attributes: Seq[Expression],
    by: SliceBy,
    side: Side,
    whole: Boolean,
    cell: Attribute,
    child: SparkPlan
) extends UnaryExecNode {
  override def nodeName: String = "WindowJoinSlice"
  override def output: Seq[Attribute] = child.output :+ cell

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val input = child.execute()
    val isSorted = !TaskAccess.comesInOneOrder(input)
    val slicing = Slicing(attributes, by, side, whole, isSorted, child.output, output)
    input.mapPartitions { rows =>
      val slicer = new Slicer(slicing)
      slicer.numbered(rows).flatMap { row =>
        slicer.read(row)
        rowsOut += slicer.copies
        slicer
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${attributes.map(_.sql).mkString("[", ", ", "]")}, " +
      s"${if (by.isCopied(side)) copied else "one cell each"}, as $cell"

  private[this] def copied =
    if (by.isDealt) "copied to several cells" else "replicated at borders"
}

object SliceExec {

  /** One input of a join of which these rows are given, with a column of its own for the cells. */
  def apply(
      input: SparkPlan,
      side: Side,
      probing: Probing,
      by: SliceBy,
      attributes: Seq[Expression],
      cellName: String = "cell"
  ): SliceExec = {
    val cell = AttributeReference(cellName, LongType, nullable = false)()
    SliceExec(attributes, by, side, probing.unmatched && (side eq probing.side), cell, input)
  }
}

/** Everything that travels to the executors for one [[SliceExec]].
  *
  * @param isSorted
  *   whether rows that are numbered are sorted first, since they may come in another order the next time
  */
final private case class Slicing(
    attributes: Seq[Expression],
    by: SliceBy,
    side: Side,
    whole: Boolean,
    isSorted: Boolean,
    input: Seq[Attribute],
    output: Seq[Attribute]
)

/** The copies of the row last read, each valid until the next is asked for. One thread, the task's. */
final private class Slicer(slicing: Slicing) extends Iterator[InternalRow] {
  import slicing._

  private[this] val reader = AttributeReader(attributes, input)
  private[this] val project = UnsafeProjection.create(output, output)
  private[this] val joined = new JoinedRow
  private[this] val cellRow = new SpecificInternalRow(Seq(LongType))
  private[this] val cells = new CellBuffer
  private[this] var row: InternalRow = _
  private[this] val number: LongSupplier =
    if (by.isDealt) () => ordinal else () => hashOfRow()
  private[this] var ordinal = 0L
  private[this] var taken = 0

  def copies: Int = cells.size

  /** The rows of the task, in an order in which they can be numbered. Partitions begin with different numbers, so
    * that many short ones fill all cells.
    */
  def numbered(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    if (!by.isDealt) rows
    else {
      ordinal = Murmur3_x86_32.hashInt(TaskContext.getPartitionId(), 0).toLong
      if (isSorted) TaskSort.byContent(rows, input) else rows
    }

  def read(next: InternalRow): Unit = {
    row = next
    taken = 0
    ordinal += 1
    if (reader.read(next)) by.cells(side, reader.keys, number, cells)
    else cells.setOnly(if (whole) Some(number.getAsLong) else None)
  }

  private[this] def hashOfRow(): Long = {
    cellRow.setLong(0, 0)
    project(joined(row, cellRow)).hashCode.toLong
  }

  def hasNext: Boolean = taken < cells.size

  def next(): InternalRow = {
    cellRow.setLong(0, cells(taken))
    taken += 1
    project(joined(row, cellRow))
  }
}
