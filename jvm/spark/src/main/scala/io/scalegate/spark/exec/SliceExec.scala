package io.scalegate.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  JoinedRow,
  SpecificInternalRow,
  UnsafeProjection
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.LongType

import io.scalegate.join.{CellBuffer, Grid}

/** Gives each row of a keyless join's input the cell of the grid that it is joined in: a column more, by
  * which the rows are then exchanged. A row near a border of the replicated side comes out once for each
  * cell that it can find a match in. Rows with a NULL among the attributes match nothing and are dropped.
  *
  * @param attributes
  *   what the grid's dimensions are, over the child's output
  * @param cell
  *   the column that is added, BIGINT, never NULL
  */
final case class SliceExec(
    attributes: Seq[Expression],
    grid: Grid,
    replicated: Boolean,
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
    val (by, cut, copied, in, out) = (attributes, grid, replicated, child.output, output)
    child.execute().mapPartitions { rows =>
      val slicer = new Slicer(by, cut, copied, in, out)
      rows.flatMap { row =>
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
      s"${if (replicated) "replicated at borders" else "one cell each"}, as $cell"
}

/** The copies of the row last read, each valid until the next is asked for. */
final private class Slicer(
    attributes: Seq[Expression],
    grid: Grid,
    replicated: Boolean,
    input: Seq[Attribute],
    output: Seq[Attribute]
) extends Iterator[InternalRow] {
  private[this] val reader = new AttributeReader(attributes, grid.bands.map(_.attribute), input)
  private[this] val project = UnsafeProjection.create(output, output)
  private[this] val joined = new JoinedRow
  private[this] val cellRow = new SpecificInternalRow(Seq(LongType))
  private[this] val cells = new CellBuffer
  private[this] var row: InternalRow = _
  private[this] var taken = 0

  def copies: Int = cells.size

  def read(next: InternalRow): Unit = {
    row = next
    taken = 0
    if (!reader.read(next)) cells.clear()
    else if (replicated) grid.cells(reader.keys, cells)
    else grid.cell(reader.keys, cells)
  }

  def hasNext: Boolean = taken < cells.size

  def next(): InternalRow = {
    cellRow.setLong(0, cells(taken))
    taken += 1
    project(joined(row, cellRow))
  }
}
