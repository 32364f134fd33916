package io.scalegate.matrix

import io.scalegate.band.AttributeType
import io.scalegate.column.{ColumnarWindow, SharedRows, WindowLimitException}
import io.scalegate.stream.{PaddedCounter, StreamTuple}

/** One segment of a stream's window, shared by the workers of a row, a column or a plane (DP-Join
  * §III-D2): the first of them writes it, all read it, each with a [[SegmentView]].
  *
  * One thread at a time calls [[append]] and [[release]].
  *
  * @param attributes
  *   the types of the columns
  * @param sharers
  *   the workers that read it
  */
final private[scalegate] class Segment(
    attributes: IndexedSeq[AttributeType],
    sharers: Int,
    initialRows: Int = Segment.InitialRows
) {
  /*
   *      released     lowest first             next of a sharer        end       positions
   *   ------+--------------+------------------------+-------------------+------->
   *         | expired for  | in the window of one   | written, and not  |
   *         | all: goes at | sharer or more         | yet processed by  |
   *         | next release |                        | that sharer       |
   *
   * A sharer counts up the first position that is valid for it (`first`); what lies below the
   * minimum of these counters is removed. The paper lets any sharer do that; here it is the
   * writer, so a segment has one writing thread and needs no lock.
   *
   * Memory order. A row is written before `end` (release). A sharer reads `end` (acquire) and
   * then `rows` (acquire), and finds there all that lies between its counter and that end: a row
   * that went into a larger array was written after the array was published, and what the array
   * was made from lies in it from the `released` of that moment, which was at most the counter.
   * What was dealt to a segment was written before anybody else learnt of the segment (Arrangement).
   *
   * The writer reads the counters (acquire) before it clears or reuses a slot; a sharer stores its
   * counter (release) after its last look at what lies before. It may still hold an array that was
   * replaced: nobody writes there any more.
   */
  private[this] val firsts = Array.fill(sharers)(new PaddedCounter)
  private[this] val endPosition = new PaddedCounter
  @volatile private[this] var current =
    new SharedRows(initialRows, attributes, hasOrdinals = true)
  private[this] var released = 0L // the writer's
  private var end = 0L // the writer's
  private var inherited = 0L

  def width: Int = attributes.length

  /** Up to where, exclusively, rows were there before any sharer looked: see [[Segment.deal]]. */
  def begin: Long = inherited

  /** The rows that some sharer has not said it is past. Any thread. */
  def held: Long = {
    val first = firstNeeded // before the end, which rises too
    published - first
  }

  private def firstNeeded: Long = PaddedCounter.lowest(firsts)

  /** The array of rows. Read after [[published]]. */
  def rows: SharedRows = current

  /** Up to where, exclusively, rows are there. */
  def published: Long = endPosition.getAcquire

  /** A sharer needs nothing before this position any more. Its thread's. */
  def expireFor(sharer: Int, first: Long): Unit = firsts(sharer).setRelease(first)

  /** The writer's: adds a row behind all others. */
  def append(ordinal: Long, windowValue: Long, t: StreamTuple): Unit = {
    if (end - released >= current.capacity) makeRoom()
    current.put(end, ordinal, windowValue, t)
    end += 1
    endPosition.setRelease(end)
  }

  /** The writer's: drops what no sharer needs any more. */
  def release(): Unit = {
    val bound = firstNeeded
    if (released < bound) {
      val rows = current
      while (released < bound) {
        rows.remove(released)
        released += 1
      }
    }
  }

  private[this] def makeRoom(): Unit = {
    release()
    if (end - released >= current.capacity) {
      if (current.capacity >= ColumnarWindow.MostRows)
        throw new WindowLimitException(current.capacity, ColumnarWindow.MostRows)
      current = current.grown(released, end)
    }
  }
}

private[scalegate] object Segment {
  val InitialRows = 64

  /** Copies the rows of one stream that some sharer may need, from segments which nobody writes or reads any
    * more, to others which nobody knows yet: in turn, in the order of the stream.
    */
  def deal(from: IndexedSeq[Segment], to: IndexedSeq[Segment]): Unit = {
    val positions = from.map(_.firstNeeded).toArray
    var turn = 0
    var source = earliest(from, positions)
    while (source >= 0) {
      val rows = from(source).rows
      val slot = rows.slot(positions(source))
      to(turn).append(rows.ordinal(slot), rows.windowValue(slot), rows.tuple(slot))
      positions(source) += 1
      turn = if (turn + 1 == to.length) 0 else turn + 1
      source = earliest(from, positions)
    }
    to.foreach(segment => segment.inherited = segment.end)
  }

  /** The segment whose next row has the lowest ordinal; -1 when none has a row. */
  private[this] def earliest(segments: IndexedSeq[Segment], positions: Array[Long]): Int = {
    var found = -1
    var lowest = Long.MaxValue
    var i = 0
    while (i < positions.length) {
      val segment = segments(i)
      if (positions(i) < segment.published) {
        val ordinal = segment.rows.ordinal(segment.rows.slot(positions(i)))
        if (ordinal < lowest) {
          lowest = ordinal
          found = i
        }
      }
      i += 1
    }
    found
  }
}
