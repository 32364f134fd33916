package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.stream.state.JoinState
import io.scalegate.spark.join.{JoinTask, Probing}
import io.scalegate.stream.Sides

/** The join of two streams over windows whose rows are indexed together, as it travels to the executors. In a task it
  * keeps what it has made for one join, and uses it for the next: code above all.
  *
  * @param inTurn
  *   whether rows wait for the watermark, and the joined rows come in the order of their times
  * @param threads
  *   that look for pairs in one task
  */
final class StreamJoinTask(
    terms: StreamTerms,
    inTurn: Boolean,
    threads: Int
) extends JoinTask
    with StoredTask {
  import terms.{bands, inputs, probing, python, residual, window}

  @transient protected lazy val held: Sides[StoredSide] = Sides.each(side =>
    new StoredSide(
      side,
      inputs(side),
      bands,
      window,
      inTurn,
      onlyUnmatched = !probing.pairs && probing.decides(side)
    )
  )

  /** The condition, for each thread that looks for pairs. */
  @transient private[this] lazy val conditions = Vector.fill(threads)(
    accepts(residual, inputs.left.output ++ inputs.right.output)
  )

  private[scalegate] def givesAtWatermark: Boolean =
    inTurn || probing.unmatched || probing.unfound

  private[scalegate] def joinWith(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: JoinState,
      services: BatchServices
  ): StreamJoinIterator = {
    val both = arrived(rows, batch, before, services)
    val now = both.map(_.now)
    val order =
      if (inTurn) new EventTimeOrder(now.left, now.right)
      else new ArrivalOrder(now.left.size, now.right.size)
    val sides = both.map(_.joining(order))
    new StreamJoinIterator(
      probing,
      sides,
      order,
      found(sides, order, services.waiting),
      UnmatchedRows(sides.left, sides.right, order, window, probing),
      StreamJoinEnd(before, batch, both, services.store)
    )
  }

  /** By as many threads as are worth it. */
  private[this] def found(
      sides: Sides[BatchSide],
      order: ProbeOrder,
      waiting: () => Unit
  ): FoundPairs = {
    val shares = if (order.size < StreamJoinTask.FewRows) 1 else threads
    // Which is a row's first match is not known before Python has answered: all of them are found.
    val wanted = if (python.isEmpty) probing else Probing.Inner
    val found = FoundPairs(
      order.size,
      conditions.take(shares).map(new PairFinder(sides, order, window, wanted, shares == 1, _)),
      waiting
    )
    python.fold(found)(new AcceptedPairs(found, _, sides, order))
  }
}

private object StreamJoinTask {

  /** For fewer a task starts no threads. */
  private val FewRows = 32
}
