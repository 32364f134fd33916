package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.state.{
  EventTimeWindow,
  IntervalWindow,
  RowBatch,
  RowCountWindow,
  StreamWindow
}
import io.scalegate.spark.rows.RowOrder
import io.scalegate.stream.Side

/** A row that is given if it is unmatched when its turn comes.
  *
  * @param position
  *   its turn comes before the pairs of rows that probe from there on
  * @param isMatched
  *   to be asked when it is its turn
  */
final private[scalegate] class UnmatchedRow(
    val position: Int,
    val side: Side,
    val row: UnsafeRow,
    val isMatched: () => Boolean
)

private[scalegate] object UnmatchedRows {

  /** The rows of a batch in the order in which it decides them.
    *
    * @param window
    *   along which the sides' rows have positions
    */
  def apply(
      left: BatchSide,
      right: BatchSide,
      order: ProbeOrder,
      window: StreamWindow,
      probing: Probing
  ): Iterator[UnmatchedRow] = {
    val sides = thatGive(Seq(left, right), probing)
    val first = atOnce(sides, probing)
    order match {
      case _: ArrivalOrder => first ++ sides.iterator.flatMap(_.closing.map(last))
      case turns: EventTimeOrder => first ++ inTurn(sides, turns, window)
    }
  }

  /** Those that need not wait. */
  def atOnce(sides: Seq[BatchSide], probing: Probing): Iterator[UnmatchedRow] =
    for (s <- thatGive(sides, probing).iterator; row <- s.unmatchable)
      yield new UnmatchedRow(0, s.side, row, Never)

  /** The sides whose unmatched rows are given. */
  private[this] def thatGive(sides: Seq[BatchSide], probing: Probing) = sides.filter { s =>
    if (s.side eq probing.side) probing.unmatched else probing.unfound
  }

  private[this] def last(c: Closing) =
    new UnmatchedRow(Int.MaxValue, c.side, c.row, () => c.isMatched)

  /** By the times when they are decided, those of equal times by side and columns. */
  private[this] def inTurn(sides: Seq[BatchSide], order: EventTimeOrder, window: StreamWindow) = {
    val closing = for (s <- sides; c <- s.closing) yield turnOf(c, s, order, window)
    val unmatchable = for (s <- sides; n <- 0 until s.unmatchableInTurn.size) yield {
      val time = s.unmatchableInTurn.timeOf(n)
      Turn(
        time,
        new UnmatchedRow(
          order.positionAfter(time),
          s.side,
          s.unmatchableInTurn.stored.row(n),
          Never
        )
      )
    }
    val orders = sides.map(s => s.side -> s.rowOrder).toMap
    (closing ++ unmatchable).sorted(byTurn(orders)).iterator.map(_.decision)
  }

  private[this] def turnOf(
      c: Closing,
      side: BatchSide,
      order: EventTimeOrder,
      window: StreamWindow
  ): Turn = {
    def turn(time: Long, position: Int) =
      Turn(time, new UnmatchedRow(position, c.side, c.row, () => c.isMatched))
    window match {
      case w: EventTimeWindow =>
        val time = w.closes(c.side, c.position)
        turn(time, order.positionAfter(time))
      case w: IntervalWindow => throw new IllegalStateException(s"the rows of $w have no turns")
      case w: RowCountWindow =>
        // The row that displaces it from the window: itself, where that holds none.
        val next = RowBatch.firstAfter(side.storedKeys(w.key), c.position + w.rows(c.side) - 1)
        turn(side.rows.timeOf(next), order.position(c.side, next) + 1)
    }
  }

  private[this] val Never = () => false

  /** A decision, and the time at which it is due. */
  final private case class Turn(time: Long, decision: UnmatchedRow)

  private[this] def byTurn(rows: Side => RowOrder): Ordering[Turn] = (a, b) => {
    val (x, y) = (a.decision, b.decision)
    if (x.position != y.position) x.position.compareTo(y.position)
    else if (a.time != b.time) a.time.compareTo(b.time)
    else if (x.side ne y.side) { if (x.side eq Side.R) -1 else 1 }
    else rows(x.side).compare(x.row, y.row)
  }
}
