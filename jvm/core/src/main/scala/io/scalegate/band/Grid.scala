package io.scalegate.band

import io.scalegate.stream.{Side, SortableKey}

/** Cuts the space of banded attributes into cells, so that a join with no equi key can run on many
  * partitions: a row of one side lies in one cell, a row of the other in every cell where a row that it
  * matches may lie. So each matching pair meets in exactly one cell.
  *
  * Cells are fixed by the bands alone; nothing has to be known about the data. An attribute's stripes are
  * `stripesPerBand` times as wide as its band, which makes about `1 + 1 / stripesPerBand` copies of a row
  * for each band.
  *
  * @param bands
  *   one for each dimension of the grid
  * @param single
  *   the side whose rows lie in one cell each
  */
final case class Grid(
    bands: IndexedSeq[Band],
    single: Side = Side.R,
    stripesPerBand: Int = 8
) {
  require(bands.nonEmpty, "a grid needs at least one band")
  private[this] val widths = bands.map(Grid.stripeWidth(_, stripesPerBand))
  private[this] val precisions = bands.map(Grid.precision)

  /** The cell of a row of the side `single` whose i-th attribute has the sortable integer `keys(i)`, in `into`. */
  def cell(keys: Array[Long], into: CellBuffer): Unit = {
    into.clear()
    var id = 0L
    var i = 0
    while (i < bands.length) {
      id = Grid.mix(id, stripe(i, keys(i)))
      i += 1
    }
    into.add(id)
  }

  /** The distinct cells of all that a row of the other side with these attributes may match, in `into`. */
  def cells(keys: Array[Long], into: CellBuffer): Unit = {
    into.clear()
    collect(keys, 0, 0L, into)
  }

  private[this] def collect(keys: Array[Long], dimension: Int, id: Long, into: CellBuffer): Unit =
    if (dimension == bands.length) into.add(id)
    else {
      val last = lastStripe(dimension, keys(dimension))
      var at = firstStripe(dimension, keys(dimension))
      while (at <= last) {
        collect(keys, dimension + 1, Grid.mix(id, at), into)
        at += 1
      }
    }

  /** Of those where a row of the copied side finds its matches. */
  private[scalegate] def firstStripe(i: Int, key: Long): Long =
    stripe(i, bands(i).least(single.opposite, key))

  private[scalegate] def lastStripe(i: Int, key: Long): Long =
    stripe(i, bands(i).greatest(single.opposite, key))

  /** A stripe's number; it rises with the key. */
  private[scalegate] def stripe(i: Int, key: Long): Long = bands(i).attribute match {
    case AttributeType.Int32 | AttributeType.Int64 => Math.floorDiv(key, widths(i).toLong)
    case AttributeType.Float32 =>
      Grid.floatingStripe(
        SortableKey.toFloat(key.toInt).toDouble,
        widths(i),
        precisions(i)
      )
    case AttributeType.Float64 =>
      Grid.floatingStripe(SortableKey.toDouble(key), widths(i), precisions(i))
  }
}

object Grid {

  /** Up to `fine` stripes from zero a band's rounding slack is narrower than a stripe; beyond, stripes are
    * numbered by their quotient's leading bits, and grow with it. `fine` is a power of two, where the two
    * numberings meet without a gap. The infinities share the stripes of `±largest`, to which a band near
    * the end of the range may reach.
    */
  final private case class Precision(largest: Double, fine: Double)
  private def precision(band: Band): Precision = band match {
    case b: FloatingBand =>
      val largest = if (b.attribute.bits == 32) Float.MaxValue.toDouble else Double.MaxValue
      Precision(largest, (1L << (-Math.getExponent(b.widening) - 6)).toDouble)
    case _ => Precision(Double.MaxValue, 1)
  }

  /** In narrower stripes even moderate numbers' quotients would be infinite, and their stripe one. */
  private val Narrowest = Math.scalb(1.0, -200)

  private def stripeWidth(band: Band, stripesPerBand: Int): Double = band match {
    case IntegralBand(_, lower, upper) =>
      math.floor(math.min((upper.toDouble - lower.toDouble + 1) * stripesPerBand, 9e18))
    case b: FloatingBand =>
      val width = math.max(b.upper - b.lower, 4 * b.slack) * stripesPerBand
      math.max(Narrowest, math.min(width, Double.MaxValue))
  }

  private def floatingStripe(value: Double, width: Double, precision: Precision): Long =
    if (java.lang.Double.isNaN(value)) Long.MaxValue - 1
    else {
      import precision.{fine, largest}
      val quotient = math.max(-largest, math.min(value, largest)) / width
      val distance = math.abs(quotient)
      if (distance < fine) math.floor(quotient).toLong
      else {
        val bits = java.lang.Double.doubleToLongBits(distance)
        val coarse = fine.toLong + ((bits - java.lang.Double.doubleToLongBits(fine)) >>> 40)
        if (quotient > 0) coarse else -coarse
      }
    }

  /** Joins one more stripe number to a cell's id. Two cells of one id only add candidates. */
  private def mix(id: Long, stripe: Long): Long = {
    val x = (id ^ stripe) * 0x9e3779b97f4a7c15L
    x ^ (x >>> 32)
  }
}
