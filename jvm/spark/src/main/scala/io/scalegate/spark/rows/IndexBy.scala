package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}

import io.scalegate.band.{AttributeType, Band}
import io.scalegate.lookup.{BandIndex, Inequalities, NearestIndex, RowIndex}
import io.scalegate.stream.Side

/** How the rows of one side are indexed, and so what the attributes of both sides are: by bands around attributes, by
  * two comparisons, or from the nearest time on. Planned on the driver; travels to the tasks.
  */
sealed trait IndexBy extends Serializable {

  /** The types of the attributes of either side. */
  def types: IndexedSeq[AttributeType]

  /** The bands that relate them, where bands do. */
  def bands: IndexedSeq[Band]

  /** Whether a lookup finds many rows that lie near each other in the index's order. */
  def findsNeighbours: Boolean = true

  /** The same of one more attribute, the first, which lies within this band. */
  def after(first: Band): IndexBy

  /** The same where the indexed rows are known.
    *
    * @param ties
    *   over their columns, the order of rows that are alike otherwise
    */
  def of(ties: Seq[Expression], columns: Seq[Attribute]): IndexBy = this

  /** @param side
    *   whose rows are indexed
    * @param keys
    *   the i-th array holds the i-th attribute of every row
    * @param point
    *   makes a row the one of a number
    */
  def index(
      side: Side,
      keys: IndexedSeq[Array[Long]],
      point: (UnsafeRow, Int) => Unit
  ): RowIndex
}

object IndexBy {

  /** Each attribute of one side lies within a band around the other's. */
  final case class Bands(bands: IndexedSeq[Band]) extends IndexBy {
    def types: IndexedSeq[AttributeType] = bands.map(_.attribute)

    def after(first: Band): IndexBy = Bands(first +: bands)

    def index(
        side: Side,
        keys: IndexedSeq[Array[Long]],
        point: (UnsafeRow, Int) => Unit
    ): RowIndex = BandIndex(bands, side, keys)
  }

  /** Of the last two attributes each compares with the other side's; the one before, if there is one, is equal. */
  final case class Compared(types: IndexedSeq[AttributeType], by: Inequalities) extends IndexBy {
    def bands: IndexedSeq[Band] =
      throw new IllegalStateException("attributes that compare are not within bands")

    def after(first: Band): IndexBy = copy(first.attribute +: types)

    def index(
        side: Side,
        keys: IndexedSeq[Array[Long]],
        point: (UnsafeRow, Int) => Unit
    ): RowIndex = {
      val compared = keys.takeRight(2)
      by.index(side, keys.dropRight(2).headOption, compared(0), compared(1))
    }
  }

  /** The last attribute is a time, and the rows nearest to it come first; the one before, if there is one, is equal.
    *
    * @param key
    *   the type of that one
    * @param tied
    *   the order of rows of equal times, which is known where the rows are
    */
  final case class Nearest(
      by: NearestIndex.By,
      key: Option[AttributeType] = None,
      tied: Option[RowOrder] = None
  ) extends IndexBy {
    val types: IndexedSeq[AttributeType] = key.toVector :+ by.time

    override def findsNeighbours: Boolean = false

    def bands: IndexedSeq[Band] =
      throw new IllegalStateException("the nearest rows are not within bands")

    def after(first: Band): IndexBy =
      copy(by.copy(keyed = true), key = Some(first.attribute))

    override def of(ties: Seq[Expression], columns: Seq[Attribute]): IndexBy =
      copy(tied = Some(RowOrder(ties, columns)))

    def index(
        side: Side,
        keys: IndexedSeq[Array[Long]],
        point: (UnsafeRow, Int) => Unit
    ): RowIndex = {
      val compare = tied.get.compareNumbers(point)
      NearestIndex(by, side, keys.init.headOption, keys.last, (a, b) => compare(a, b))
    }
  }
}
