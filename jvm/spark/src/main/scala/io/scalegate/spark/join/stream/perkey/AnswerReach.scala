package io.scalegate.spark.join.stream.perkey

import io.scalegate.spark.join.stream.state.RowBatch
import io.scalegate.stream.SaturatingMath

/** Which right rows a left row's answer is made of, in microseconds of event time.
  *
  * @param before
  *   how much earlier a right row may be, if there is a bound
  * @param after
  *   how much later
  * @param last
  *   of the right rows that are not later than a left one, how many of the last ones it may be made of
  * @param older
  *   how many right rows it may be made of that are earlier than `before` says
  */
final case class AnswerReach(before: Option[Long], after: Long, last: Int, older: Int = 0) {

  /** The least event time that a joined row may have once the watermark is there: in both of its times, or, where a right
    * row may be of any age, in the left one's.
    */
  def leastOutput(watermark: Long): Long =
    SaturatingMath.subtract(decided(watermark), before.getOrElse(0L))

  /** The greatest time of a left row whose answer is final. */
  def decided(watermark: Long): Long = SaturatingMath.subtract(watermark, after)

  /** Whether a right row's time alone says that no answer may be made of it any more. */
  def isByTime: Boolean = before.nonEmpty && older == 0

  /** Right rows whose times are not above this are of no use, if these go by their times. */
  def tooOld(watermark: Long): Long =
    before.fold(Long.MinValue)(SaturatingMath.subtract(decided(watermark), _))

  /** The first of a key's right rows, which are in the order of their times, that an answer may be made of that is not
    * final.
    */
  def firstOfUse(rows: Int, timeOf: Int => Long, watermark: Long): Int = {
    val inReach = RowBatch.firstAfter(rows, timeOf, tooOld(watermark))
    val earlier = RowBatch.firstAfter(rows, timeOf, decided(watermark))
    math.max(math.max(0, inReach - older), earlier - last)
  }

  /** Whether it is time to look for rows that have left the reach among those of all keys: as seldom as leaves no more than
    * a quarter of them too many.
    *
    * @param swept
    *   the watermark when that was done last
    */
  def isSwept(swept: Long, watermark: Long): Boolean =
    before.exists(b =>
      SaturatingMath.subtract(watermark, swept) > SaturatingMath.add(b, after) / 4
    )
}
