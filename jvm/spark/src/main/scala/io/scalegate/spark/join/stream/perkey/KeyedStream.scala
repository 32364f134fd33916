package io.scalegate.spark.join.stream.perkey

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BasePredicate,
  Expression,
  UnsafeProjection,
  UnsafeRow
}

import io.scalegate.spark.join.JoinTask
import io.scalegate.spark.join.stream.state.{Chunk, ChunkStore, EventTimeWindow, StreamWindow}
import io.scalegate.spark.join.stream.task.{
  BatchServices,
  StoredSide,
  StreamBatch,
  StreamTask,
  StreamTerms
}
import io.scalegate.spark.rows.RowStore
import io.scalegate.stream.{Side, Sides}

/** The join of two streams that holds the rows of each key apart, as it travels to the executors. In the checkpoint rows
  * that wait for their turn, and those that go by their times alone, lie in chunks. Each other row is an entry of its own,
  * which goes when the row is of no use any more: keys of which no rows come keep no others' rows. In a task it keeps what
  * it has made for one batch, or a part of one, and uses it for the next: code above all.
  *
  * @param terms
  *   in whose inputs the one bounded attribute is the event time, NULL where a key is; and in whose condition the keys are
  *   not
  * @param keys
  *   whose bytes are the same where they are equal; none if all rows have one key
  */
abstract class KeyedStream(
    terms: StreamTerms,
    keys: Sides[Seq[Expression]]
) extends JoinTask
    with StreamTask {
  import KeyedStream._
  import terms.inputs

  type State <: KeyedState

  private[scalegate] def givesAtWatermark: Boolean = true

  private[scalegate] def columns: Sides[Int] = inputs.map(_.output.length)

  protected def eventTimes: Sides[Int] = inputs.map(_.eventTime)

  /** Rows of a side whose times are not above this are joined once the watermark is there. */
  protected def turn(side: Side, watermark: Long): Long

  /** Whether rows of a side are held once they were joined. */
  protected def holdsJoined(side: Side): Boolean = true

  /** Whether the rows of a side that are of use are told by their times alone. */
  protected def goesByTime(side: Side): Boolean = false

  /** Rows are named in the checkpoint on both sides, whether they are decided on or not. */
  @transient private[this] lazy val held: Sides[StoredSide] = Sides.each(side =>
    new StoredSide(
      side,
      inputs(side).copy(decided = true),
      TimeAlone,
      EventTimeWindow.Unbounded,
      inTurn = true,
      onlyUnmatched = false
    )
  )

  @transient private[this] lazy val keyOf: Sides[UnsafeProjection] =
    Sides.each(side => UnsafeProjection.create(keys(side), inputs(side).output))

  @transient private[this] lazy val evaluated: Option[BasePredicate] =
    accepts(terms.residual, inputs.left.output ++ inputs.right.output)

  /** What else the pairs of a batch have to satisfy.
    *
    * @param pairs
    *   all that may be tested, in the order in which they are
    */
  final protected def condition(pairs: Iterator[InternalRow]): PairCondition =
    new PairCondition(evaluated, terms.python, pairs)

  private[scalegate] def arrivals(
      arrived: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: KeyedState,
      services: BatchServices
  ): Sides[KeyedArrivals] = Sides.each { side =>
    new KeyedArrivals(
      held(side),
      keyOf(side),
      arrived(side),
      batch.copy(watermark = turn(side, batch.watermark)),
      before.sideState(side),
      services.keepLate(side)
    )
  }

  /** What the checkpoint says of both sides, and the watermark that rows were last joined by. */
  private[scalegate] def restoredSides(store: ChunkStore): (Sides[RestoredSide], Long) = {
    val chunks = store.chunks.toVector
    val watermark = Chunk.watermarkOf(chunks)
    (Sides.each(side => restoredSide(side, chunks, turn(side, watermark))), watermark)
  }

  private[this] def restoredSide(
      side: Side,
      chunks: Vector[Chunk],
      joinedTo: Long
  ): RestoredSide = {
    val (kinds, stored) = (Chunk.ofSide(side), held(side))
    val matched = chunks.iterator
      .filter(_.key.kind == kinds.marks)
      .flatMap(c => Chunk.ids(c.content))
      .toSet
    def rowsOf(chunk: Chunk): Vector[UnsafeRow] = {
      val store = new RowStore(stored.columns, chunk.count.toInt)
      Chunk.rowsInto(store, stored.columns, chunk.content)
      Vector.tabulate(store.size)(store.row)
    }
    val inOrder = new KeyedOrder(stored.input.eventTime, stored.rowOrder)
    val written = chunks.filter(_.key.kind == kinds.rows)
    val waited = chunks.filter(_.key.kind == kinds.waiting)
    val all = (written.flatMap { c =>
      val isMarked = matched.contains(Chunk.id(c.key.batch, c.key.part))
      rowsOf(c).map { row =>
        val time = inOrder.timeOf(row)
        KeyedRow(c.key.batch, c.key.part, row, time, isMarked, isWritten = true, isMarked)
      }
    } ++ waited.flatMap { c =>
      rowsOf(c).zipWithIndex.collect {
        case (row, n) if inOrder.timeOf(row) > joinedTo =>
          KeyedRow(c.key.batch, Chunk.waited(c.key, n), row, inOrder.timeOf(row))
      }
    }).sorted(inOrder)
    val unmatchable = chunks.filter(_.key.kind == kinds.unmatchable)
    val unmatchableRows =
      unmatchable.flatMap(rowsOf).filter(inOrder.timeOf(_) > joinedTo).sorted(inOrder.ofRows)
    val (joined, waiting) = all.span(_.time <= joinedTo)
    val byKey = mutable.HashMap.empty[UnsafeRow, mutable.ArrayBuffer[KeyedRow]]
    val project = keyOf(side)
    joined.foreach { row =>
      val key = project(row.row)
      byKey.getOrElseUpdate(key.copy(), mutable.ArrayBuffer.empty) += row
    }
    val kept = if (holdsJoined(side)) all else waiting
    val others = SideOfKeys(
      waiting,
      unmatchableRows,
      ((if (goesByTime(side)) written else waited) ++ unmatchable).map(c => c.key -> c.latest),
      kept.size.toLong,
      kept.iterator.map(_.bytes.toLong).sum
    )
    new RestoredSide(byKey, others)
  }
}

private[scalegate] object KeyedStream {

  /** The event time alone. */
  private val TimeAlone =
    Vector(StreamWindow.AnyTime)

  /** What the checkpoint says of one side: the rows of its keys, and those that wait. */
  final class RestoredSide(
      byKey: mutable.HashMap[UnsafeRow, mutable.ArrayBuffer[KeyedRow]],
      val others: SideOfKeys
  ) {
    def keys: Iterable[UnsafeRow] = byKey.keys

    /** Those of a key, in their order. */
    def rows(key: UnsafeRow): Vector[KeyedRow] =
      byKey.get(key).fold(Vector.empty[KeyedRow])(_.toVector)
  }
}
