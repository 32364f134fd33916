package io.scalegate.spark.streaming

import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, UnsafeRow}

import io.scalegate.spark.exec.Probing
import io.scalegate.stream.Side

/** The rows that one batch adds to a streaming join, in one partition: pairs, and rows whose time has come without a
  * match. One thread.
  *
  * A pair is valid until the next is asked for.
  *
  * @param found
  *   pairs of which the marks decide whether they are given
  * @param watermark
  *   that rows are expired by, as `before` is that of the batch before
  * @param dropped
  *   rows that were too late
  */
final class StreamJoinIterator private[streaming] (
    probing: Probing,
    left: NewSide,
    right: NewSide,
    order: ProbeOrder,
    found: FoundPairs,
    decisions: Iterator[Decision],
    before: Long,
    watermark: Long,
    val dropped: Long,
    store: ChunkStore
) extends Iterator[JoinedRow] {
  private[this] val pair = new JoinedRow
  private[this] val leftRow = new UnsafeRow(left.input.output.length)
  private[this] val rightRow = new UnsafeRow(right.input.output.length)
  private[this] val nullLeft = new GenericInternalRow(left.input.output.length)
  private[this] val nullRight = new GenericInternalRow(right.input.output.length)
  private[this] var decision: Decision = _
  private[this] var turn =
    0 // the position of the decision, the greatest number when there is none
  private[this] var hasPair = false // that is not looked at yet
  private[this] var hasMore = true // pairs
  private[this] var looking = -1 // the position of the row that the pairs are of
  private[this] var ready = false
  nextDecision()

  /** Rows that were tested against a probe; complete when there are no more rows. */
  def comparisons: Long = found.comparisons

  /** Rows that were joined for the first time. */
  def added: Long = left.rows.size.toLong + right.rows.size

  def hasNext: Boolean = {
    while (!ready && step()) ()
    ready
  }

  def next(): JoinedRow = {
    if (!hasNext) throw new NoSuchElementException("the batch has no more joined rows")
    ready = false
    pair
  }

  /** Writes the rest of what later batches need, and gives what is held from now on. To be called when there are no more
    * rows.
    */
  def finish(): JoinState = {
    require(!hasNext, "a batch is finished when all of its rows were taken")
    val state = new JoinState(left.finish(store), right.finish(store), watermark)
    if (watermark != before)
      store.put(Chunk(Chunk.WatermarkKey, watermark, 0L, Array.emptyByteArray))
    state
  }

  /** Ends the search, whether all rows were taken or not. */
  def close(): Unit = found.close()

  /** Looks at the next pair or decision; false when there are no more of both. */
  private[this] def step(): Boolean = {
    if (!hasPair && hasMore) {
      hasPair = found.advance()
      hasMore = hasPair
    }
    if (hasPair && found.position < turn) {
      hasPair = false
      ready = isGiven()
      true
    } else if (decision != null) {
      ready = !decision.isMatched()
      if (ready) give(decision)
      nextDecision()
      true
    } else false
  }

  private[this] def nextDecision(): Unit = {
    decision = if (decisions.hasNext) decisions.next() else null
    turn = if (decision == null) Int.MaxValue else decision.position
  }

  private[this] def give(of: Decision): Unit = {
    if (of.side eq Side.R) pair(of.row, nullRight) else pair(nullLeft, of.row)
    ()
  }

  /** Marks both rows of the pair, and says whether it is a row of the join. */
  private[this] def isGiven(): Boolean =
    if (order.side(found.position) eq Side.R) isGiven(left, leftRow, right, rightRow)
    else isGiven(right, rightRow, left, leftRow)

  private[this] def isGiven(
      probes: NewSide,
      probe: UnsafeRow,
      searched: NewSide,
      row: UnsafeRow
  ): Boolean = {
    val place = order.place(found.position)
    val isFirst = probing.pairs || !hasMatched(probes, place, searched)
    if (probes.input.decided) probes.mark(place)
    if (searched.input.decided) searched.mark(found.run, found.number)
    isFirst && (probing.pairs || !probing.unmatched) && {
      if (looking != found.position) {
        probes.point(probe, place)
        looking = found.position
      }
      searched.point(row, found.run, found.number)
      pair(leftRow, rightRow)
      true
    }
  }

  /** Whether the row that is given for its first match has had it. */
  private[this] def hasMatched(probes: NewSide, place: Int, searched: NewSide) =
    if (probes.side eq probing.side) probes.hasMatched(place)
    else searched.hasMatched(found.run, found.number)
}
