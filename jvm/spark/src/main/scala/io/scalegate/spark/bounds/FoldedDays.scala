package io.scalegate.spark.bounds

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, IntegerType}

/** A date moved by some days, as a position on a line on which dates are near that are near in arithmetic of 32 bits.
  *
  * Differences of dates and sums with them wrap around: the last day is followed by the first. The circle of days is
  * laid flat. Days up to 2^30 from 1970 (some 2.9 million years) keep their number, and the others lie on the way back
  * from one end of these to the other. So the distance of two positions is that of the days or less, and the same for
  * all that have a name.
  *
  * @param child
  *   a date
  */
final case class FoldedDays(child: Expression, later: Int) extends UnaryExpression {
  override def dataType: DataType = IntegerType

  override def nullIntolerant: Boolean = true

  override protected def nullSafeEval(day: Any): Any = FoldedDays(day.asInstanceOf[Int] + later)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    nullSafeCodeGen(
      ctx,
      ev,
      { day =>
        val moved = ctx.freshName("moved")
        val near = FoldedDays.Near
        s"""
           |int $moved = $day + $later;
           |${ev.value} = $moved > $near || $moved < -$near ? Integer.MIN_VALUE - $moved : $moved;
           |""".stripMargin
      }
    )

  override protected def withNewChildInternal(newChild: Expression): FoldedDays =
    copy(child = newChild)
}

object FoldedDays {
  private val Near = 1 << 30

  /** The position of a day; the difference wraps around. */
  def apply(day: Int): Int = if (day > Near || day < -Near) Int.MinValue - day else day
}
