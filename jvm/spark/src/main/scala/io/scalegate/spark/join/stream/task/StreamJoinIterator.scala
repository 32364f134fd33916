package io.scalegate.spark.join.stream.task

import io.scalegate.spark.join.stream.state.{Chunk, ChunkStore, JoinState}
import io.scalegate.spark.join.{Probing, RowAddress}
import io.scalegate.stream.{Side, Sides}

/** The rows that one batch adds to a streaming join, in one partition: pairs, and unmatched rows whose time has come.
  * One thread, the task's; it holds the current row, and what `found` holds.
  *
  * @param found
  *   pairs of which the marks decide whether they are given
  */
final class StreamJoinIterator private[scalegate] (
    probing: Probing,
    sides: Sides[BatchSide],
    order: ProbeOrder,
    found: FoundPairs,
    decisions: Iterator[UnmatchedRow],
    end: StreamJoinEnd
) extends StoredPairs(sides, end) {
  private[this] val byLeft = new ProbingSide(sides.left, sides.right, leftAddress, rightAddress)
  private[this] val byRight = new ProbingSide(sides.right, sides.left, rightAddress, leftAddress)
  private[this] var probeSide = byLeft
  private[this] var probePosition = -1 // the position of the row that the pairs are of
  private[this] var decision: UnmatchedRow = _
  private[this] var turn =
    0 // the position of the decision, the greatest number when there is none
  private[this] var hasPair = false // that is not looked at yet
  private[this] var hasMore = true // pairs
  private[this] var ready = false
  // No row is marked, and none waits for what becomes of others.
  private[this] val onlyPairs = probing.isInner
  nextDecision()

  def comparisons: Long = found.comparisons

  def advance(): Boolean = if (onlyPairs) nextPair() else nextOfAll()

  def close(): Unit = found.close()

  private[this] def nextOfAll(): Boolean = {
    ready = false
    while (!ready && step()) ()
    ready
  }

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

  private[this] def give(unmatched: UnmatchedRow): Unit = {
    val ofLeft = unmatched.side eq Side.R
    (if (ofLeft) leftAddress else rightAddress).set(unmatched.row)
    (if (ofLeft) rightAddress else leftAddress).setNulls()
    probePosition = -1
  }

  private[this] def nextPair(): Boolean = found.advance() && {
    look()
    probeSide.give()
    true
  }

  /** Turns to the row that the pair found is of. */
  private[this] def look(): Unit = {
    val position = found.position
    if (position != probePosition) {
      probePosition = position
      probeSide = if (order.side(position) eq Side.R) byLeft else byRight
      probeSide.start(order.number(position))
    }
  }

  /** Marks both rows of the pair, and says whether it is a row of the join. */
  private[this] def isGiven(): Boolean = {
    look()
    probeSide.mark() && {
      probeSide.give()
      true
    }
  }

  /** A probe row of one side, and the rows of the other that it finds. */
  final private[this] class ProbingSide(
      probes: BatchSide,
      searched: BatchSide,
      own: RowAddress,
      other: RowAddress
  ) {
    private[this] val rows = new RowsOfRuns(searched)
    private[this] var number = 0

    def start(number: Int): Unit = {
      this.number = number
      own.set(probes.rows.stored.base(number), probes.rows.stored.offset(number))
    }

    /** Makes the two rows the pair. */
    def give(): Unit = {
      val some = rows.inRun(found.run)
      other.set(some.base(found.number), some.offset(found.number))
    }

    /** Marks both, and says whether they are given. */
    def mark(): Boolean = {
      val isFirst = probing.pairs || !hasMatched
      if (probes.input.decided) probes.mark(number)
      if (searched.input.decided) searched.mark(found.run, found.number)
      isFirst && (probing.pairs || !probing.unmatched)
    }

    /** Whether the row that is given for its first match has had it. */
    private[this] def hasMatched =
      if (probes.side eq probing.side) probes.hasMatched(number)
      else searched.hasMatched(found.run, found.number)
  }
}

/** What the end of a batch needs beside its rows.
  *
  * @param watermark
  *   that rows are expired by, as `before` is that of the batch before
  * @param dropped
  *   rows that were too late
  * @param finished
  *   is told the state after the batch
  */
final private[scalegate] case class StreamJoinEnd(
    before: Long,
    watermark: Long,
    dropped: Long,
    store: ChunkStore,
    finished: JoinState => Unit
) {

  /** Writes what later batches need, and gives what is held from now on. */
  def stateOf(sides: Sides[BatchSide]): JoinState = {
    val held = sides.map(_.finish(store))
    if (watermark != before) store.put(Chunk.ofWatermark(watermark))
    val state = new JoinState(held.left, held.right, watermark)
    finished(state)
    state
  }
}

private[scalegate] object StreamJoinEnd {
  def apply(
      before: JoinState,
      batch: StreamBatch,
      both: Sides[BatchInput],
      store: ChunkStore,
      finished: JoinState => Unit = _ => ()
  ): StreamJoinEnd = StreamJoinEnd(
    before.watermark,
    batch.watermark,
    both.left.dropped + both.right.dropped,
    store,
    finished
  )
}
