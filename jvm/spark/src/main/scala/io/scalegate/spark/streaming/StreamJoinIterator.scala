package io.scalegate.spark.streaming

import org.apache.spark.sql.catalyst.expressions.{BasePredicate, GenericInternalRow, JoinedRow}

import io.scalegate.stream.Side

/** The rows that one batch adds to a streaming join, in one partition: the pairs, then the rows whose time has come
  * without a match. One thread.
  *
  * A pair is valid until the next is asked for.
  */
final class StreamJoinIterator(
    task: StreamJoinTask,
    left: NewSide,
    right: NewSide,
    accepts: Option[BasePredicate],
    before: Long,
    watermark: Long,
    val dropped: Long,
    store: ChunkStore
) extends Iterator[JoinedRow] {
  private[this] val probing = task.probing
  private[this] val pair = new JoinedRow
  private[this] val nullLeft = new GenericInternalRow(left.input.output.length)
  private[this] val nullRight = new GenericInternalRow(right.input.output.length)
  private[this] val searches =
    if (task.ordered) Iterator(new OrderedSearch(left, right, probing, accepts, pair))
    else
      Iterator(
        () => new PairSearch(right, left, true, probing, accepts, pair),
        () => new PairSearch(left, right, false, probing, accepts, pair)
      ).map(_.apply())
  private[this] var search: StreamSearch = searches.next()
  private[this] var sides = List(left, right)
  private[this] var unmatched: Iterator[JoinedRow] = Iterator.empty
  private[this] var compared = 0L
  private[this] var ready = false

  /** Rows that were tested against a probe. */
  def comparisons: Long = compared + (if (search == null) 0L else search.comparisons)

  /** Rows that were joined for the first time. */
  def added: Long = left.rows.size.toLong + right.rows.size

  def hasNext: Boolean = {
    if (!ready) ready = nextPair() || nextUnmatched()
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

  private[this] def nextPair(): Boolean = {
    while (search != null && !search.advance()) {
      compared += search.comparisons
      search = if (searches.hasNext) searches.next() else null
    }
    search != null
  }

  private[this] def nextUnmatched(): Boolean = {
    while (!unmatched.hasNext && sides.nonEmpty) {
      unmatched = unmatchedOf(sides.head)
      sides = sides.tail
    }
    unmatched.hasNext && {
      unmatched.next()
      true
    }
  }

  private[this] def unmatchedOf(of: NewSide): Iterator[JoinedRow] =
    if (if (of.side eq probing.side) probing.unmatched else probing.unfound)
      of.unmatched(task.expired(of.side, before)).map { row =>
        if (of.side eq Side.R) pair(row, nullRight) else pair(nullLeft, row)
      }
    else Iterator.empty
}
