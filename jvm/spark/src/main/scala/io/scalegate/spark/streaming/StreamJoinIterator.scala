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
  private[this] val byLeft = new Looking(left, right)
  private[this] val byRight = new Looking(right, left)
  private[this] var looking = byLeft
  private[this] var lookingFrom = -1 // the position of the row that the pairs are of
  private[this] val nullLeft = new GenericInternalRow(left.input.output.length)
  private[this] val nullRight = new GenericInternalRow(right.input.output.length)
  private[this] var decision: Decision = _
  private[this] var turn =
    0 // the position of the decision, the greatest number when there is none
  private[this] var hasPair = false // that is not looked at yet
  private[this] var hasMore = true // pairs
  private[this] var ready = false
  // No row is marked, and none waits for what becomes of others.
  private[this] val onlyPairs = probing.isInner
  nextDecision()

  /** Rows that were tested against a probe; complete when there are no more rows. */
  def comparisons: Long = found.comparisons

  /** Rows that were joined for the first time. */
  def added: Long = left.rows.size.toLong + right.rows.size

  def hasNext: Boolean = {
    if (onlyPairs) ready = ready || nextPair()
    else while (!ready && step()) ()
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

  private[this] def nextPair(): Boolean = found.advance() && {
    look()
    looking.give()
    true
  }

  /** Turns to the row that the pair found is of. */
  private[this] def look(): Unit = {
    val position = found.position
    if (position != lookingFrom) {
      lookingFrom = position
      looking = if (order.side(position) eq Side.R) byLeft else byRight
      looking.start(order.place(position))
    }
  }

  /** Marks both rows of the pair, and says whether it is a row of the join. */
  private[this] def isGiven(): Boolean = {
    look()
    looking.mark() && {
      looking.give()
      true
    }
  }

  /** A row of one side, and those of the other that it finds. */
  final private[this] class Looking(probes: NewSide, searched: NewSide) {
    private[this] val probe = new UnsafeRow(probes.input.output.length)
    private[this] val other = new FoundRow(searched)
    private[this] val isLeft = probes.side eq Side.R
    private[this] var place = 0
    private[this] var isRead = false

    def start(place: Int): Unit = {
      this.place = place
      isRead = false
    }

    /** Makes the two rows the pair. */
    def give(): Unit = {
      if (!isRead) {
        probes.point(probe, place)
        isRead = true
      }
      other.point(found.run, found.number)
      if (isLeft) pair(probe, other.row) else pair(other.row, probe)
      ()
    }

    /** Marks both, and says whether they are given. */
    def mark(): Boolean = {
      val isFirst = probing.pairs || !hasMatched
      if (probes.input.decided) probes.mark(place)
      if (searched.input.decided) searched.mark(found.run, found.number)
      isFirst && (probing.pairs || !probing.unmatched)
    }

    /** Whether the row that is given for its first match has had it. */
    private[this] def hasMatched =
      if (probes.side eq probing.side) probes.hasMatched(place)
      else searched.hasMatched(found.run, found.number)
  }
}
