package io.scalegate.spark.bounds

import org.apache.spark.sql.catalyst.expressions.{
  Add,
  Cast,
  Expression,
  GreaterThan,
  If,
  LessThan,
  Literal,
  Or,
  UnixDate
}
import org.apache.spark.sql.types.LongType

/** Two comparisons that say between which days a right date lies, each a left date moved by some days in arithmetic of
  * 32 bits: `right BETWEEN left + toLower AND left + toUpper`, strict or not. Planning finds it.
  *
  * @param comparisons
  *   the conjuncts, which say nothing more
  */
final case class MovedDates(toLower: Long, toUpper: Long, comparisons: Seq[Expression]) {

  /** The day, a long integer, around which the right days lie on the number line: where both days have wrapped around,
    * it lies beyond the dates, on the other side; where one has, none lies between them, and it is NULL.
    */
  def center(left: Expression): Expression = {
    val day = Cast(UnixDate(left), LongType)
    def moved(by: Long) = Add(day, Literal(by))
    val (first, last) = (Literal(Int.MinValue.toLong), Literal(Int.MaxValue.toLong))
    val circle = 1L << 32
    If(
      GreaterThan(moved(toLower), last),
      moved(-circle),
      If(
        LessThan(moved(toUpper), first),
        moved(circle),
        If(
          Or(LessThan(moved(toLower), first), GreaterThan(moved(toUpper), last)),
          Literal(null, LongType),
          day
        )
      )
    )
  }
}
