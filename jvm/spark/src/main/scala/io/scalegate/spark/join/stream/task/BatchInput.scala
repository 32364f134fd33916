package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.stream.state.{
  Chunk,
  ChunkKey,
  EventTimeWindow,
  IntervalWindow,
  JoinState,
  RowBatch,
  RowCountWindow
}

/** What one side brings to a batch: of the rows that wait and the new ones those whose turn has come, and those that
  * wait on. The new rows are put into the checkpoint, as far as a later batch may need them. One thread, the task's; it
  * holds the batch's rows of the side.
  *
  * @param rows
  *   of the side's input
  */
final private[scalegate] class BatchInput(
    stored: StoredSide,
    rows: Iterator[InternalRow],
    batch: StreamBatch,
    state: JoinState,
    services: BatchServices
) {
  import stored.{columns, input, keeper, unmatchableKeeper, rowOrder, side, window}

  private[this] val read = new NewRows(rows, stored, batch.late, services.keepLate(side))
  private[this] val held = state.sideState(side)

  /** Rows that are joined when this batch is through. */
  private[this] val joined = held.joined + turns(held.waiting.times) + turns(read.times)
  private[this] val expired = window.expired(side, batch.watermark, joined)

  /** Rows whose time is not above this are of no use after the batch. */
  private[this] val evicted = window match {
    case _: EventTimeWindow => if (stored.inTurn) math.min(batch.watermark, expired) else expired
    case _: IntervalWindow => expired
    case _: RowCountWindow => oldestTime.fold(Long.MinValue)(_ - 1)
  }
  private[this] val fresh = read.named(batch, evicted)
  private[this] val written = write()

  private[this] val (current, waiting) =
    stored.parted(held.waiting.merged(fresh, keeper, rowOrder), batch.watermark, keeper)
  private[this] val (unmatchableNow, unmatchableLater) =
    stored.parted(
      held.unmatchable.merged(read.unmatchableInTurn, unmatchableKeeper, rowOrder),
      batch.watermark,
      unmatchableKeeper
    )

  /** The rows that are joined in this batch. */
  def now: RowBatch = current

  /** Rows that were too late. */
  def dropped: Long = read.dropped

  def joining(order: ProbeOrder): BatchSide = new BatchSide(
    stored,
    now,
    stored.positioned(now, n => held.joined + n + 1),
    stored.probing(now, n => state.sideState(side.opposite).joined + order.others(side, n)),
    read.unmatchable,
    unmatchableNow,
    held,
    held.copy(
      joined = joined,
      waiting = waiting,
      unmatchable = unmatchableLater,
      chunks = written
    ),
    batch.number,
    Expiry(window.expired(side, state.watermark, held.joined), expired, evicted)
  )

  private[this] def turns(times: Array[Long]) = stored.turns(times, batch.watermark)

  private[this] def write(): Vector[(ChunkKey, Long)] = {
    val kinds = Chunk.ofSide(side)
    val chunks = Chunk.ofBatch(kinds.rows, batch.number, fresh, columns, evicted) ++
      Chunk.ofBatch(
        kinds.unmatchable,
        batch.number,
        read.unmatchableInTurn,
        columns,
        batch.watermark
      )
    services.store.add(chunks)
  }

  /** The time of the first row that a window of rows holds after the batch, if it holds one. */
  private[this] def oldestTime: Option[Long] = {
    val (a, b) = (held.waiting.times, read.times)
    var (i, j) = (turns(a), turns(b))
    var wanted = joined - expired
    var time = Option.empty[Long]
    while (wanted > 0 && i + j > 0) {
      val fromFirst = j == 0 || (i > 0 && a(i - 1) >= b(j - 1))
      time = Some(if (fromFirst) a(i - 1) else b(j - 1))
      if (fromFirst) i -= 1 else j -= 1
      wanted -= 1
    }
    if (wanted > 0) oldestHeld.orElse(time) else time
  }

  private[this] def oldestHeld: Option[Long] =
    held.window.runs.iterator
      .flatMap { run =>
        run.between(expired, Long.MaxValue).take(1).map { n =>
          run.timeOf(n) -> run.rows.row(n).getLong(input.eventTime)
        }
      }
      .minByOption(_._1)
      .map(_._2)
}
