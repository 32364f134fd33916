package io.scalegate.lookup

import java.util.function.IntBinaryOperator

import io.scalegate.band.{AttributeType, Band}
import io.scalegate.column.RadixOrder
import io.scalegate.stream.{Side, SortableKey}

/** Rows in the order of one attribute, as a rule a time, found from the nearest to a probe's own value on: what an as-of
  * join takes the first of. With an equi key only rows of the same key are found.
  *
  * Rows of equal times lie in the order that the index is given. Backward, the last row at or before the probe comes
  * first, and of rows of equal times the last; forward, the first row at or after it, and of rows of equal times the
  * first. Of two rows as far from the probe, one on either side, the earlier comes first.
  */
final class NearestIndex private (
    private[scalegate] val by: NearestIndex.By,
    private[scalegate] val side: Side,
    keys: KeyNumbers,
    runs: Array[Int],
    private[scalegate] val times: Array[Long],
    val order: Array[Int]
) extends RowIndex {
  def lookup(): RowLookup = new NearestLookup(this)

  /** The number of a key's run of rows, negative if there is none. */
  private[scalegate] def runOf(key: Long): Int = keys.numberOf(key)
  private[scalegate] def run(i: Int): Int = runs(i)
}

object NearestIndex {

  /** Which rows a probe finds.
    *
    * @param keyed
    *   whether the first attribute of a row, and of a probe, is an equi key; the time is the next one
    * @param time
    *   how times are held
    * @param exact
    *   whether rows whose time is the probe's own are found
    * @param within
    *   a band that the times found lie in besides, if there is one
    */
  final case class By(
      direction: Direction,
      keyed: Boolean,
      time: AttributeType,
      exact: Boolean = true,
      within: Option[Band] = None
  ) {

    /** Which of two times found for a probe's comes first: less than zero if `a` does, more if `b` does, and zero if they
      * are equal, and so are told apart by their rows.
      */
    def compare(probe: Long, a: Long, b: Long): Int = direction match {
      case Direction.Backward => java.lang.Long.compare(b, a)
      case Direction.Forward => java.lang.Long.compare(a, b)
      case Direction.Nearest =>
        val distance = compareDistance(probe, a, b)
        if (distance != 0) distance
        else if (a <= probe && b <= probe) java.lang.Long.compare(b, a)
        else java.lang.Long.compare(a, b)
    }

    /** Whether, of rows of this time, the last one comes first. */
    def isLastFirst(probe: Long, rowTime: Long): Boolean = direction match {
      case Direction.Backward => true
      case Direction.Forward => false
      case Direction.Nearest => rowTime <= probe
    }

    private[this] def compareDistance(probe: Long, a: Long, b: Long): Int = time match {
      case AttributeType.Int32 | AttributeType.Int64 =>
        // No distance is negative, but one may take all of 64 bits.
        def distance(t: Long) = if (t <= probe) probe - t else t - probe
        java.lang.Long.compareUnsigned(distance(a), distance(b))
      case AttributeType.Float32 =>
        def value(key: Long) = SortableKey.toFloat(key.toInt).toDouble
        compareNumbers(value(probe), value(a), value(b))
      case AttributeType.Float64 =>
        compareNumbers(
          SortableKey.toDouble(probe),
          SortableKey.toDouble(a),
          SortableKey.toDouble(b)
        )
    }

    /** A distance of NaN, which is that of a NaN, is the largest. */
    private[this] def compareNumbers(probe: Double, a: Double, b: Double): Int = {
      def distance(d: Double) = if (d == probe) 0.0 else math.abs(d - probe)
      java.lang.Double.compare(distance(a), distance(b))
    }
  }

  /** @param keys
    *   the equi key of every row, if there is one
    * @param times
    *   of every row, as sortable integers
    * @param tied
    *   compares two rows, by their numbers, whose keys and times are equal
    */
  def apply(
      by: By,
      side: Side,
      keys: Option[Array[Long]],
      times: Array[Long],
      tied: IntBinaryOperator
  ): NearestIndex = {
    val rows = times.length
    require(
      keys.nonEmpty == by.keyed && keys.forall(_.length == rows),
      s"an index of $rows times needs as many keys if it is keyed (it is ${if (by.keyed) ""
        else "not "}keyed), " +
        s"and none if not; it was given ${keys.fold("none")(_.length.toString)}"
    )
    val byTime = RadixOrder.by(times, Array.range(0, rows))
    // To sort by numbers, of which there are few, takes fewer passes than to sort by keys.
    val numbers = new KeyNumbers
    val numberOf = keys.fold(new Array[Long](rows))(numbered(_, numbers))
    val order = if (by.keyed) RadixOrder.by(numberOf, byTime) else byTime
    RadixOrder.settle(
      order,
      (a, b) => times(a) == times(b) && numberOf(a) == numberOf(b),
      tied
    )
    new NearestIndex(
      by,
      side,
      numbers,
      RadixOrder.runs(numberOf, order),
      RadixOrder.inOrder(times, order),
      order
    )
  }

  private[this] def numbered(keys: Array[Long], numbers: KeyNumbers): Array[Long] = {
    val result = new Array[Long](keys.length)
    var i = 0
    while (i < keys.length) {
      result(i) = numbers.add(keys(i)).toLong
      i += 1
    }
    result
  }
}

/** Attributes of a probe: the key, if the index has one, and its time. */
final private class NearestLookup(index: NearestIndex) extends RowLookup {
  import index.by

  private[this] val times = index.times
  private[this] val within = by.within.orNull
  private[this] val probing = index.side.opposite
  private[this] val goesBack = by.direction != Direction.Forward
  private[this] val goesOn = by.direction != Direction.Backward
  private[this] var run = 0 // of the last probe's key
  private[this] var runKey = 0L
  private[this] var from = 0 // the rows of that key
  private[this] var until = index.rows
  private[this] var time = 0L
  private[this] var least = Long.MinValue
  private[this] var greatest = Long.MaxValue
  private[this] var back = 0 // the row after the next one before the probe
  private[this] var on = 0 // the next one after it
  private[this] var compared = 0L
  if (by.keyed) run = -1

  def comparisons: Long = compared

  def start(keys: Array[Long]): Unit = {
    if (by.keyed && (run < 0 || keys(0) != runKey)) enter(keys(0))
    time = keys(if (by.keyed) 1 else 0)
    if (within != null) {
      least = within.least(probing, time)
      greatest = within.greatest(probing, time)
    }
    if (run < 0) {
      back = from
      on = until
    } else split()
  }

  private[this] def enter(key: Long): Unit = {
    runKey = key
    run = if (index.rows == 0) -1 else index.runOf(key)
    if (run >= 0) {
      from = index.run(run)
      until = index.run(run + 1)
    } else {
      from = 0
      until = 0
    }
  }

  /** Finds where the rows before the probe end, and those after it begin. */
  private[this] def split(): Unit = {
    val first = BandIndex.firstAtLeast(times, time, from, until)
    if (first == until || times(first) != time) {
      back = first
      on = first
    } else if (!by.exact) {
      back = first
      on = BandIndex.firstBeyond(times, time, first, until)
    } else if (goesBack) {
      back = BandIndex.firstBeyond(times, time, first, until)
      on = back
    } else on = first
  }

  def next(): Int = {
    val before = goesBack && back > from && times(back - 1) >= least
    val after = goesOn && on < until && times(on) <= greatest
    if (before || after) {
      compared += 1
      if (before && (!after || isNearerBack)) {
        back -= 1
        back
      } else {
        on += 1
        on - 1
      }
    } else -1
  }

  /** Whether the next row before the probe comes before the next one after it. */
  private[this] def isNearerBack: Boolean = by.compare(time, times(back - 1), times(on)) < 0
}
