package io.scalegate.spark.join.stream.perkey

import scala.collection.immutable.HashMap
import scala.reflect.{ClassTag, classTag}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.spark.join.stream.state.ChunkStore
import io.scalegate.spark.join.stream.task.{BatchServices, StreamBatch, StreamTerms}
import io.scalegate.stream.{Side, Sides}

/** The join of two streams over windows that count the rows of each key, as it travels to the executors.
  *
  * @param keys
  *   whose bytes are the same where they are equal
  * @param rows
  *   that the window holds of each side
  */
final class RowsPerKeyStream(
    terms: StreamTerms,
    keys: Sides[Seq[Expression]],
    rows: Sides[Long]
) extends KeyedStream(terms, keys) {
  type State = RowsPerKeyState

  protected def stateClass: ClassTag[RowsPerKeyState] = classTag[RowsPerKeyState]

  protected def turn(side: Side, watermark: Long): Long = watermark

  def empty: RowsPerKeyState = new RowsPerKeyState(
    HashMap.empty,
    SideOfKeys.Empty,
    SideOfKeys.Empty,
    Long.MinValue,
    eventTimes
  )

  def restored(store: ChunkStore): RowsPerKeyState = {
    val (sides, watermark) = restoredSides(store)
    val all = (sides.left.keys ++ sides.right.keys).iterator.map { key =>
      key -> LastOfKey(sides.left.rows(key), sides.right.rows(key))
    }
    new RowsPerKeyState(
      HashMap.from(all),
      sides.left.others,
      sides.right.others,
      watermark,
      eventTimes
    )
  }

  private[scalegate] def joinWith(
      arrived: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: RowsPerKeyState,
      services: BatchServices
  ): RowsPerKeyBatch =
    new RowsPerKeyBatch(
      terms.probing,
      rows,
      arrivals(arrived, batch, before, services),
      condition(_),
      before,
      eventTimes,
      batch,
      services
    )
}
