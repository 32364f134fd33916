package io.scalegate.spark.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BasePredicate,
  GenericInternalRow,
  JoinedRow,
  UnsafeRow
}

import io.scalegate.join.RunsLookup
import io.scalegate.stream.Side

/** The rows that one batch adds to a streaming join, in one partition. Each pair is found once: the new rows of the
  * right side look among the left side's old and new ones, and those of the left side among the right side's old ones.
  * Then come the rows whose time has come without a match. One thread.
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
    store: ChunkStore
) extends Iterator[JoinedRow] {
  private[this] val probing = task.probing
  private[this] val condition = accepts.orNull
  private[this] val pair = new JoinedRow
  private[this] val nullLeft = new GenericInternalRow(left.input.output.length)
  private[this] val nullRight = new GenericInternalRow(right.input.output.length)
  private[this] var phase = 0
  private[this] var search: PairSearch = new PairSearch(right, left, withNew = true)
  private[this] var unmatched: Iterator[InternalRow] = Iterator.empty
  private[this] var compared = 0L
  private[this] var ready = false

  /** Rows that were tested against a probe. */
  def comparisons: Long = compared + (if (search == null) 0L else search.comparisons)

  /** Rows dropped because they were too late. */
  def dropped: Long = left.rows.dropped + right.rows.dropped

  /** Rows added to what is held. */
  def added: Long = left.rows.size.toLong + right.rows.size

  def hasNext: Boolean = {
    while (!ready && phase < 4) if (!step()) nextPhase()
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

  private[this] def step(): Boolean = {
    ready =
      if (phase < 2) search.advance()
      else {
        val more = unmatched.hasNext
        if (more) {
          val row = unmatched.next()
          if (phase == 2) pair(row, nullRight) else pair(nullLeft, row)
        }
        more
      }
    ready
  }

  private[this] def nextPhase(): Unit = {
    phase += 1
    phase match {
      case 1 =>
        compared += search.comparisons
        search = new PairSearch(left, right, withNew = false)
      case 2 => unmatched = givenUnmatched(left)
      case 3 => unmatched = givenUnmatched(right)
      case _ => unmatched = Iterator.empty
    }
  }

  private[this] def givenUnmatched(of: NewSide): Iterator[InternalRow] =
    if (if (of.side eq probing.side) probing.unmatched else probing.unfound)
      of.unmatched(task.expired(of.side, before))
    else Iterator.empty

  /** The pairs of a side's new rows with rows of the other side.
    *
    * @param withNew
    *   whether with those of this batch too
    */
  private[this] class PairSearch(probes: NewSide, searched: NewSide, withNew: Boolean) {
    private[this] val lookup: RunsLookup[StoredRows] =
      if (withNew && probes.rows.size > 0 && searched.rows.size > 0)
        searched.held.window.lookup(searched.run)
      else searched.held.window.lookup()
    private[this] val probe = new UnsafeRow(probes.input.output.length)
    private[this] val found = new UnsafeRow(searched.input.output.length)
    private[this] val keys = new Array[Long](probes.rows.keys.length)
    private[this] val columns = probes.rows.keys.toArray
    private[this] val count = probes.rows.size
    private[this] val oneEach = !probing.pairs
    private[this] val oneOfProbes = oneEach && (probes.side eq probing.side)
    private[this] var place = -1
    private[this] var open = false

    if (probes.side eq Side.R) pair(probe, found) else pair(found, probe)

    def comparisons: Long = lookup.comparisons

    /** Moves to the next pair that is a row of the join; false when there is none. */
    def advance(): Boolean = {
      var more = false
      while (!more && (open || begin()))
        if (!lookup.next()) open = false
        else more = isWanted && holds && accept()
      more
    }

    private[this] def holds: Boolean = {
      lookup.current.rows.point(found, lookup.number)
      condition == null || condition.eval(pair)
    }

    private[this] def begin(): Boolean = {
      place += 1
      val more = place < count
      if (more) {
        var i = 0
        while (i < keys.length) {
          keys(i) = columns(i)(place)
          i += 1
        }
        probes.point(probe, place)
        lookup.start(keys)
        open = !(oneOfProbes && probes.hasMatched(place))
      }
      more
    }

    /** Whether it matters if the row found matches: a row that is given for its first match needs no second. */
    private[this] def isWanted: Boolean =
      !oneEach || (if (oneOfProbes) !probes.hasMatched(place)
                   else !searched.hasMatched(lookup.run, lookup.number))

    /** Notes the match; whether it is a row of the join. */
    private[this] def accept(): Boolean = {
      if (probes.input.decided) probes.mark(place)
      if (searched.input.decided) searched.mark(lookup.run, lookup.number)
      if (oneOfProbes) open = false
      probing.pairs || !probing.unmatched
    }
  }
}
