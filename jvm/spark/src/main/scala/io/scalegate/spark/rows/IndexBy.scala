package io.scalegate.spark.rows

import io.scalegate.band.{AttributeType, Band}
import io.scalegate.lookup.{BandIndex, IntervalIndex, RowIndex}
import io.scalegate.stream.Side

/** How the rows of one side are indexed, and so what the attributes of both sides are: by bands around attributes, or
  * by intervals that overlap. Planned on the driver; travels to the tasks.
  */
sealed trait IndexBy extends Serializable {

  /** The types of the attributes of either side. */
  def types: IndexedSeq[AttributeType]

  /** The bands that relate them, where bands do. */
  def bands: IndexedSeq[Band]

  /** The same of one more attribute, the first, which lies within this band. */
  def after(first: Band): IndexBy

  /** @param side
    *   whose rows are indexed
    * @param keys
    *   the i-th array holds the i-th attribute of every row
    */
  def index(side: Side, keys: IndexedSeq[Array[Long]]): RowIndex
}

object IndexBy {

  /** Each attribute of one side lies within a band around the other's. */
  final case class Bands(bands: IndexedSeq[Band]) extends IndexBy {
    def types: IndexedSeq[AttributeType] = bands.map(_.attribute)

    def after(first: Band): IndexBy = Bands(first +: bands)

    def index(side: Side, keys: IndexedSeq[Array[Long]]): RowIndex = BandIndex(bands, side, keys)
  }

  /** The last two attributes are the start and the end of an interval, and the intervals of both sides overlap;
    * the one before, if there is one, is equal.
    */
  final case class Overlap(types: IndexedSeq[AttributeType]) extends IndexBy {
    def bands: IndexedSeq[Band] =
      throw new IllegalStateException("intervals that overlap are not within bands")

    def after(first: Band): IndexBy = Overlap(first.attribute +: types)

    def index(side: Side, keys: IndexedSeq[Array[Long]]): RowIndex = {
      val interval = keys.takeRight(2)
      IntervalIndex(keys.dropRight(2).headOption, interval(0), interval(1))
    }
  }
}
