package io.scalegate.spark.join.stream.perkey

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.stream.task.{BatchServices, StreamBatch}
import io.scalegate.stream.Sides

/** The rows that one batch adds to a join in which each left row has one answer, in one partition: each left row whose
  * answer is final by the batch's watermark, with what it is made of.
  *
  * One thread, the task's.
  *
  * @param before
  *   what was held; nothing of it is changed
  */
abstract private[scalegate] class AnswerBatch(
    reach: AnswerReach,
    arrivals: Sides[KeyedArrivals],
    before: AnswerState,
    eventTimes: Sides[Int],
    batch: StreamBatch,
    services: BatchServices
) extends KeyedBatch(arrivals, before, batch, services) {
  import services.store

  private[this] val changed = withArrived()
  private[this] var evicted = 0L
  private[this] var evictedBytes = 0L

  /** Those of a key, in their order. */
  final protected def rightRows(key: UnsafeRow): Vector[KeyedRow] =
    changed.get(key).orElse(before.keys.get(key)).getOrElse(Vector.empty)

  final protected def timeOfLeft(row: UnsafeRow): Long = arrivals.left.inOrder.timeOf(row)

  final protected def held(): AnswerState = {
    val isSwept = reach.isSwept(before.swept, batch.watermark)
    forget(arrivals.left.now)
    val left =
      arrivals.left.finishByTime(reach.decided(batch.watermark), store, evicted, evictedBytes)
    evicted = 0
    evictedBytes = 0
    var keys = before.keys
    def keep(key: UnsafeRow, rows: Vector[KeyedRow]) =
      keys = if (rows.isEmpty) keys.removed(key) else keys.updated(key, rows)
    changed.foreach { case (key, rows) => keep(key, recorded(kept(rows))) }
    if (isSwept) before.keys.foreach { case (key, rows) =>
      if (!changed.contains(key)) {
        val left = kept(rows)
        if (left.size < rows.size) keep(key, left)
      }
    }
    val right =
      if (reach.isByTime)
        arrivals.right.finishByTime(reach.tooOld(batch.watermark), store, evicted, evictedBytes)
      else arrivals.right.finish(store, evicted, evictedBytes)
    val swept = if (isSwept) batch.watermark else before.swept
    new AnswerState(keys, left, right, batch.watermark, swept, eventTimes)
  }

  /** The rows, which the checkpoint has from now on. */
  private[this] def recorded(rows: Vector[KeyedRow]): Vector[KeyedRow] =
    if (reach.isByTime) rows else rows.map(arrivals.right.written(_, store))

  private[this] def forget(rows: Vector[KeyedRow]): Unit = {
    evicted += rows.size
    rows.foreach(evictedBytes += _.bytes)
  }

  /** Of a key's right rows those that an answer may yet be made of. */
  private[this] def kept(rows: Vector[KeyedRow]): Vector[KeyedRow] = {
    val first = reach.firstOfUse(rows.size, rows(_).time, batch.watermark)
    if (first == 0) rows
    else {
      val (gone, rest) = rows.splitAt(first)
      forget(gone)
      if (!reach.isByTime) gone.foreach(arrivals.right.remove(_, store))
      rest
    }
  }

  /** The keys of the right rows whose turn has come, each with all right rows that it has. */
  private[this] def withArrived(): mutable.HashMap[UnsafeRow, Vector[KeyedRow]] = {
    val rows = mutable.HashMap.empty[UnsafeRow, mutable.ArrayBuffer[KeyedRow]]
    arrivals.right.now.foreach { row =>
      val key = arrivals.right.keyOf(row.row)
      rows.getOrElse(
        key, {
          val own = key.copy()
          val made = mutable.ArrayBuffer.from(before.keys.getOrElse(own, Vector.empty))
          rows(own) = made
          made
        }
      ) += row
    }
    // No new row lies before those held: it would be late, and is dropped where it is read.
    rows.map { case (key, of) => key -> of.toVector }
  }
}
