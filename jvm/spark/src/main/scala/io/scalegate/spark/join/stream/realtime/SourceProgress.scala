package io.scalegate.spark.join.stream.realtime

import java.util.Arrays

/** How far the sources of one input have come: the tasks that read it, each of which promises that no row comes of it any
  * more whose event time is not above a bound. A source is asked for nothing: it is known by the first promise that it
  * makes, which says how many there are, or from the batch before. One thread.
  *
  * It is heard of by its rows, and by what it promises beyond what it had.
  *
  * @param idleNanos
  *   a source of which nothing was heard for so long is left out, until it is heard of again; 0 if each is waited for.
  *   Where nothing was heard of any, nothing moves
  * @param before
  *   what is known of each from the batch before; none if their names are not
  * @param begun
  *   when the batch has, of `System.nanoTime`, as all times here
  */
final private[scalegate] class SourceProgress(
    idleNanos: Long,
    before: Seq[KnownSource] = Nil,
    begun: Long = 0L
) {
  private[this] var promised = before.map(_.promised).toArray
  private[this] var heardAt = before.map(begun - _.silent * 1000).toArray
  private[this] var rows = new Array[Long](before.size)
  private[this] var least = Long.MinValue
  private[this] var isStale = before.nonEmpty

  /** Takes note of what one of so many sources promises, in microseconds. */
  def promise(source: Int, sources: Int, bound: Long, now: Long): Unit = {
    if (sources > promised.length) {
      val known = promised.length
      promised = Arrays.copyOf(promised, sources)
      heardAt = Arrays.copyOf(heardAt, sources)
      rows = Arrays.copyOf(rows, sources)
      Arrays.fill(promised, known, sources, Long.MinValue)
      Arrays.fill(heardAt, known, sources, now)
      isStale = true
    }
    if (bound > promised(source)) {
      isStale ||= promised(source) <= least
      promised(source) = bound
      heard(source, now)
    }
  }

  /** Takes note of rows of a source that has promised something. */
  def row(source: Int, count: Long = 1): Unit = rows(source) += count

  /** Takes note of when rows of such a source came. */
  def heard(source: Int, at: Long): Unit = if (at - heardAt(source) > 0) heardAt(source) = at

  /** The sources that are known, and what one of them has promised. */
  def size: Int = promised.length
  def promisedBy(source: Int): Long = promised(source)

  /** What is known of each source. */
  def figures(now: Long): Seq[SourceFigures] = promised.indices.map { i =>
    SourceFigures(i, rows(i), promised(i), math.max(0, now - heardAt(i)) / 1000, isIdle(i, now))
  }

  private[this] def isIdle(source: Int, now: Long) =
    idleNanos > 0 && now - heardAt(source) >= idleNanos

  /** The greatest event time that no row of any source comes with any more, nor with one below. It never falls: rows of a
    * source that was left out, and comes back behind it, are too late.
    */
  def reached(now: Long): Long = {
    if (isStale || idleNanos > 0) {
      var bound = Long.MaxValue
      var i = 0
      while (i < promised.length) {
        if (!isIdle(i, now)) bound = math.min(bound, promised(i))
        i += 1
      }
      if (bound != Long.MaxValue) least = math.max(least, bound)
      isStale = false
    }
    least
  }
}
