package io.scalegate.spark.join.stream.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.join.{JoinSpec, JoinType, TypedJoin}
import io.scalegate.spark.join.operator.{DealtSources, OperatorTask, TimedReader}
import io.scalegate.spark.join.stream.state.{
  EventTimeWindow,
  IntervalWindow,
  JoinState,
  RowCountWindow,
  StreamWindow
}
import io.scalegate.spark.join.stream.task.{
  BatchPairs,
  BatchServices,
  EventTimeOrder,
  StoredSide,
  StoredTask,
  StreamBatch,
  StreamJoinEnd,
  StreamJoinIterator,
  StreamTerms,
  UnmatchedRows
}
import io.scalegate.spark.join.{BoundedInput, JoinTask}
import io.scalegate.spark.settings.NamedOperator
import io.scalegate.stream.{CountWindow, SaturatingMath, Sides, TimeWindow, Window}

/** The join of two streams by one of the papers' operators, as it travels to the executors. Rows wait for the watermark,
  * and are given to the operator in the order of their times.
  *
  * The operator lives as long as the task. It is a function of its input, so what it holds is made again from its last
  * rows: the state is these, as they came, and a task begins by giving them to an operator anew, which compares them
  * with later rows alone.
  *
  * What becomes of rows that match nothing, or are given for their first match: over a window of times the operator
  * decides, and is given those of twice the window, since what has become of the rows that are not decided yet depends
  * on them, their pairs with each other included. Over a window of rows that would be all rows before; the operator gives
  * the pairs there, and the state says which rows have been in one.
  */
final class OperatorStreamTask(terms: StreamTerms, operator: NamedOperator)
    extends JoinTask
    with StoredTask {
  import OperatorStreamTask._
  import terms.{bands, inputs, probing, residual, window}

  /** Whether the operator says what becomes of each row, and not the state. */
  private[this] val decides = window.isInstanceOf[EventTimeWindow] || probing.isInner

  @transient protected lazy val held: Sides[StoredSide] = Sides.each { side =>
    val input = inputs(side)
    new StoredSide(
      side,
      input.copy(
        bounded = Seq(input.bounded(window.key)),
        decided = input.decided && !decides
      ),
      Vector(StreamWindow.AnyTime),
      kept(window, probing.isInner),
      inTurn = true,
      onlyUnmatched = false
    )
  }

  @transient private[this] var live: LiveOperator = _

  /** What the operator has been given all rows of. */
  @transient private[this] var reached: JoinState = _

  private[scalegate] def givesAtWatermark: Boolean = true

  private[scalegate] def joinWith(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: JoinState,
      services: BatchServices
  ): BatchPairs = {
    val both = arrived(rows, batch, before, services)
    val now = both.map(_.now)
    val order = new EventTimeOrder(now.left, now.right)
    val goesOn = live != null && (reached eq before)
    val isGiven = order.size > 0 || mayDecide(before, batch.watermark)
    val current = if (isGiven) operatorAt(before, services.waiting) else null
    val joined = Sides.each(before.sideState(_).joined)
    if (isGiven) current.begin(now, joined, order, batch.watermark)
    val sides = both.map(_.joining(order))
    def finished(after: JoinState): Unit = if (isGiven || goesOn) reached = after
    val end = StreamJoinEnd(before, batch, both, services.store, finished)
    if (decides) new OperatorPairs(current, probing, sides, end)
    else {
      val found = new FoundByOperator(current, sides, joined, order)
      val unmatched =
        UnmatchedRows(sides.left, sides.right, order, kept(window, isInner = false), probing)
      new StreamJoinIterator(probing, sides, order, found, unmatched, end)
    }
  }

  /** Whether rows that are held may be decided when the watermark gets there. */
  private[this] def mayDecide(state: JoinState, watermark: Long) =
    !probing.isInner && decides && watermark > state.watermark &&
      state.leftRows + state.rightRows > 0

  /** The operator after all rows of this state. */
  private[this] def operatorAt(state: JoinState, waiting: () => Unit): LiveOperator = {
    if (live == null || (reached ne state)) {
      if (live != null) live.close()
      live = opened(state.watermark, waiting)
      val rows = Sides.each(side => held(side).inOrder(state.sideState(side).window))
      val before = Sides.each(side => state.sideState(side).joined - rows(side).size)
      live.begin(rows, before, new EventTimeOrder(rows.left, rows.right), state.watermark)
      while (live.next() != null) ()
    }
    live
  }

  /** The end of the task closes it.
    *
    * @param before
    *   the time of the rows that have been joined with each other
    */
  private[this] def opened(before: Long, waiting: () => Unit): LiveOperator = {
    val tested = bands.indices.filterNot(isTime)
    val ofBands = tested.map(bands(_))
    val readers = Sides.each { side =>
      val input = inputs(side)
      val read = new BoundedInput(tested.map(input.bounded(_)), input.output)
      new TimedReader(input.bounded(window.key), read, ofBands, side)
    }
    val columns = inputs.left.output ++ inputs.right.output
    val conditions = residual.map(_ =>
      OperatorTask.predicates(Seq.fill(operator.threads)(accepts(residual, columns).get))
    )
    val joinType = if (decides) probing.joinType else JoinType.Inner
    val from =
      if (joinType == JoinType.Inner) SaturatingMath.add(before, 1) else Long.MinValue
    val spec = JoinSpec(
      windowOf(window),
      ofBands.toVector :+ TimedReader.Usable,
      conditions,
      joinType,
      from
    )
    val join =
      new TypedJoin(operator.strategy).open(spec, DealtSources.sides(operator.inputs))
    TaskContext.get().addTaskCompletionListener[Unit](_ => join.close())
    new LiveOperator(join, readers, waiting)
  }

  /** Whether a band says nothing that the window does not: one that is a key's may be the only one. */
  private[this] def isTime(band: Int) = band == window.key && (window match {
    case EventTimeWindow(_, lower, upper) => lower != 0 || upper != 0
    case _: RowCountWindow | _: IntervalWindow => true
  })
}

private object OperatorStreamTask {

  /** For how long rows are held. */
  private def kept(window: StreamWindow, isInner: Boolean): StreamWindow = window match {
    case w: RowCountWindow => w.copy(key = 0)
    case w: EventTimeWindow if isInner => w.copy(key = 0)
    case w: IntervalWindow => throw notRun(w)
    case EventTimeWindow(_, lower, upper) =>
      val span = SaturatingMath.subtract(upper, lower)
      EventTimeWindow(0, math.min(lower, -span), math.max(upper, span))
  }

  private def windowOf(window: StreamWindow): Window = window match {
    case RowCountWindow(_, rows) => CountWindow(rows.left, rows.right)
    case EventTimeWindow(_, lower, upper) => TimeWindow(lower, upper)
    case w: IntervalWindow => throw notRun(w)
  }

  private def notRun(window: StreamWindow) =
    new IllegalStateException(s"an operator of the papers was asked for $window")
}
