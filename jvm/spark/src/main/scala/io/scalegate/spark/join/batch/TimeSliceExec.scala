package io.scalegate.spark.join.batch

import scala.collection.mutable

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  JoinedRow,
  SpecificInternalRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.LongType

import io.scalegate.lookup.Direction
import io.scalegate.partition.TimeSlices
import io.scalegate.spark.rows.{AttributeReader, NodeTerms, RowOrder, UnsafeRows}
import io.scalegate.stream.SaturatingMath

/** Gives each row of an input of an as-of join, or of aggregates of the rows around each row, the cell that it is joined
  * in: a column more, by which the rows are then exchanged. Of the right input each slice is given what a left row may
  * find that is not of its own slice: copies of all that are in reach, and of the nearest rows of the others.
  *
  * @param attributes
  *   over the child's output: the key, if there is one, and the time
  * @param whole
  *   whether rows with a NULL among these, which match nothing, are kept; they go to any cell
  * @param copies
  *   of the right input
  * @param cell
  *   the column that is added, BIGINT, never NULL
  */
final case class TimeSliceExec(
    attributes: Seq[Expression],
    slices: TimeSlices,
    whole: Boolean,
    copies: Option[SliceCopies],
    cell: Attribute,
    child: SparkPlan
) extends UnaryExecNode {
  override def nodeName: String = "TimeSlice"
  override def output: Seq[Attribute] = child.output :+ cell

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "carried" -> SQLMetrics.createMetric(sparkContext, "rows copied to other slices")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val (rowsOut, carried) = (longMetric("numOutputRows"), longMetric("carried"))
    val slicing = TimeSlicing(attributes, slices, whole, copies, child.output, output)
    child.execute().mapPartitions { rows =>
      val slicer = new TimeSlicer(slicing, carried.add)
      slicer.sliced(UnsafeRows(rows, slicing.input)).map { row =>
        rowsOut += 1
        row
      } ++ slicer.carried.map { row =>
        carried += 1
        row
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${attributes.map(_.sql).mkString("[", ", ", "]")}, as $cell" +
      copies.map(_.describe).filter(_.nonEmpty).fold("")(", " + _)
}

/** Which slices right rows are given in: all in which they are within reach of a left row, and those to which they are
  * carried because no nearer row is there.
  *
  * @param lower
  *   the least and the greatest difference of a right row's time and a left one's that is within reach; 0 where the nearest
  *   row alone counts
  * @param carried
  *   over the right input
  */
final case class SliceCopies(lower: Long, upper: Long, carried: Option[Carry])
    extends NodeTerms {
  override def children: Seq[Expression] = carried.toSeq

  override protected def withNewChildrenInternal(
      changed: IndexedSeq[Expression]
  ): SliceCopies = copy(carried = changed.headOption.map(_.asInstanceOf[Carry]))

  /** The first and the last slice that a right row of this time is within reach in. */
  def first(slices: TimeSlices, hot: Int, time: Long): Int =
    slices.sliceOf(hot, SaturatingMath.subtract(time, upper))
  def last(slices: TimeSlices, hot: Int, time: Long): Int =
    slices.sliceOf(hot, SaturatingMath.subtract(time, lower))

  private[batch] def describe: String = {
    val reached = Option.when(lower != 0 || upper != 0)("rows in reach copied")
    (reached ++ carried.map(_.describe)).mkString(", ")
  }
}

/** The last rows before a slice, and the first of those after it, of those that are not in its reach. Each task gives them
  * of the rows that it has seen, when it has seen all.
  *
  * @param keys
  *   what tells keys apart that have one hash, where the first attribute is a hash
  * @param ties
  *   the order of rows of equal times
  * @param most
  *   of each key
  */
final case class Carry(
    direction: Direction,
    keys: Seq[Expression],
    ties: Seq[Expression],
    most: Int
) extends NodeTerms {
  override def children: Seq[Expression] = keys ++ ties

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): Carry = {
    val changes = new NodeTerms.Changed(changed)
    copy(direction, changes.in(keys), changes.in(ties), most)
  }

  def forward: Boolean = direction != Direction.Backward
  def backward: Boolean = direction != Direction.Forward

  private[batch] def describe: String =
    Seq(Option.when(backward)("last rows"), Option.when(forward)("first rows")).flatten
      .mkString("", " and ", " carried over")
}

/** Everything that travels to the executors for one [[TimeSliceExec]]. */
final private case class TimeSlicing(
    attributes: Seq[Expression],
    slices: TimeSlices,
    whole: Boolean,
    copies: Option[SliceCopies],
    input: Seq[Attribute],
    output: Seq[Attribute]
)

/** Slices the rows of one task, and keeps what is to be carried. One thread. It holds, of each slice of a key that is
  * cut, the first and the last rows of each key.
  *
  * @param copied
  *   told of the copies that are made of a row as it comes
  */
final private class TimeSlicer(slicing: TimeSlicing, copied: Long => Unit) {
  import slicing._

  private[this] val reader = AttributeReader(attributes, input)
  private[this] val project = UnsafeProjection.create(output, output)
  private[this] val joined = new JoinedRow
  private[this] val cellRow = new SpecificInternalRow(Seq(LongType))
  private[this] val keep = copies.flatMap(_.carried).map(new Kept(_)).orNull

  /** The rows with their cells, each valid until the next is asked for. */
  def sliced(rows: Iterator[UnsafeRow]): Iterator[UnsafeRow] = rows.flatMap { row =>
    if (reader.read(row)) inCells(row)
    else if (whole) Iterator.single(inCell(row, row.hashCode.toLong))
    else Iterator.empty
  }

  /** What is carried of these rows, when they are through. */
  def carried: Iterator[UnsafeRow] =
    if (keep == null) Iterator.empty
    else keep.rows.map { case (row, cell) => inCell(row, cell) }

  private[this] def inCells(row: UnsafeRow): Iterator[UnsafeRow] = {
    val key = if (attributes.length > 1) reader.keys(0) else 0L
    val time = reader.keys(attributes.length - 1)
    val hot = slices.indexOf(key)
    if (hot < 0) Iterator.single(inCell(row, key))
    else {
      val first = copies.fold(slices.sliceOf(hot, time))(_.first(slices, hot, time))
      val last = copies.fold(first)(_.last(slices, hot, time))
      if (keep != null) keep.add(hot, first, last, time, row)
      if (first == last) Iterator.single(inCell(row, slices.cell(hot, first)))
      else {
        copied((last - first).toLong)
        Iterator.range(first, last + 1).map(slice => inCell(row, slices.cell(hot, slice)))
      }
    }
  }

  private[this] def inCell(row: UnsafeRow, cell: Long): UnsafeRow = {
    cellRow.setLong(0, cell)
    project(joined(row, cellRow))
  }

  /** The first and the last rows that are in each slice and in none before it, or behind it, as many as a left row finds. */
  final private[this] class Kept(carry: Carry) {
    private[this] val order = RowOrder(carry.ties, input)
    private[this] val keyOf =
      if (carry.keys.isEmpty) null else UnsafeProjection.create(carry.keys, input)
    private[this] def empty =
      Array.tabulate(slices.size)(hot => new Array[Ends](slices.slices(hot)))
    private[this] val lasts = if (carry.backward) empty else null
    private[this] val firsts = if (carry.forward) empty else null

    /** @param first
      *   slice that the row is in, which it is carried before, and `last`, which it is carried behind
      */
    def add(hot: Int, first: Int, last: Int, time: Long, row: UnsafeRow): Unit = {
      val key = if (keyOf == null) null else keyOf(row)
      if (lasts != null) endsOf(lasts(hot), last, last = true).add(key, time, row)
      if (firsts != null) endsOf(firsts(hot), first, last = false).add(key, time, row)
    }

    private[this] def endsOf(ends: Array[Ends], slice: Int, last: Boolean): Ends = {
      if (ends(slice) == null) ends(slice) = new Ends(last)
      ends(slice)
    }

    /** Rows, and the cells that they are carried to. */
    def rows: Iterator[(UnsafeRow, Long)] = Iterator.range(0, slices.size).flatMap { hot =>
      val all = 0 until slices.slices(hot)
      val on = if (lasts == null) Iterator.empty else through(hot, lasts(hot), all)
      val back = if (firsts == null) Iterator.empty else through(hot, firsts(hot), all.reverse)
      on ++ back
    }

    /** Each slice is given what the slices before it, in this order, have: of each key the rows of the nearest. */
    private[this] def through(
        hot: Int,
        ends: Array[Ends],
        inTurn: Seq[Int]
    ): Iterator[(UnsafeRow, Long)] = {
      val nearest = mutable.Map.empty[UnsafeRow, Seq[UnsafeRow]]
      inTurn.iterator.flatMap { slice =>
        val handed = nearest.values.flatten.map(_ -> slices.cell(hot, slice)).toVector
        if (ends(slice) != null) ends(slice).addTo(nearest)
        handed
      }
    }

    /** The last, or the first, rows of each key of one slice. */
    final private[this] class Ends(last: Boolean) {
      private[this] var keys = new Array[UnsafeRow](1)
      private[this] var rows = new Array[Nearest](1)
      private[this] var count = 0

      def add(key: UnsafeRow, time: Long, row: UnsafeRow): Unit = {
        var i = 0
        while (i < count && key != null && keys(i) != key) i += 1
        if (i == count) {
          if (count == keys.length) {
            keys = java.util.Arrays.copyOf(keys, 2 * count)
            rows = java.util.Arrays.copyOf(rows, 2 * count)
          }
          keys(i) = if (key == null) null else key.copy()
          rows(i) = new Nearest(last)
          count += 1
        }
        rows(i).add(time, row)
      }

      /** These are nearer than all that are there. */
      def addTo(nearest: mutable.Map[UnsafeRow, Seq[UnsafeRow]]): Unit =
        for (i <- 0 until count)
          nearest(keys(i)) = (rows(i).toSeq ++ nearest.getOrElse(keys(i), Nil)).take(carry.most)
    }

    /** Copies of the rows of one key and slice that are nearest to the slices after it, or before it. */
    final private[this] class Nearest(last: Boolean) {
      private[this] var times = new Array[Long](1)
      private[this] var rows = new Array[UnsafeRow](1) // the nearest first
      private[this] var count = 0

      def add(time: Long, row: UnsafeRow): Unit =
        if (count < carry.most) {
          if (count == rows.length) grow()
          rows(count) = row.copy()
          times(count) = time
          count += 1
          rise()
        } else if (isNearer(time, row, count - 1)) {
          rows(count - 1).copyFrom(row)
          times(count - 1) = time
          rise()
        }

      def toSeq: Seq[UnsafeRow] = rows.take(count).toSeq

      /** Brings the last of them to where it belongs. */
      private[this] def rise(): Unit = {
        var i = count - 1
        while (i > 0 && isNearer(times(i), rows(i), i - 1)) {
          val (time, row) = (times(i), rows(i))
          times(i) = times(i - 1)
          rows(i) = rows(i - 1)
          times(i - 1) = time
          rows(i - 1) = row
          i -= 1
        }
      }

      private[this] def isNearer(time: Long, row: UnsafeRow, than: Int): Boolean =
        if (time == times(than)) {
          val compared = order.compare(row, rows(than))
          if (last) compared > 0 else compared < 0
        } else if (last) time > times(than)
        else time < times(than)

      private[this] def grow(): Unit = {
        times = java.util.Arrays.copyOf(times, math.min(carry.most, 2 * count))
        rows = java.util.Arrays.copyOf(rows, math.min(carry.most, 2 * count))
      }
    }
  }
}
