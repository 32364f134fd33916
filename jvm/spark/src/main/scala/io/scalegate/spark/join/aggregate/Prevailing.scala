package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.{
  Add,
  Expression,
  GreaterThanOrEqual,
  LessThanOrEqual
}

import io.scalegate.spark.join.WholeInputMarker
import io.scalegate.spark.settings.{Errors, FunctionText}

/** `prevailing(left_time, right_time, lower, upper)`: of a row and one of a subquery's, the right time lies in the
  * interval from the left one, or the right row is the last one before that, while none stands where it begins. It holds
  * only of whole inputs, never of two rows alone, so a plan that would have to evaluate it is refused.
  *
  * @param bounds
  *   that the right time is in the interval
  */
final case class Prevailing(bounds: Seq[Expression])
    extends Expression
    with WholeInputMarker {
  override def children: Seq[Expression] = bounds
  override def nullable: Boolean = false
  override def misplaced: Exception = Errors.prevailingMisplaced(sql)
  override def prettyName: String = Prevailing.Name
  override def sql: String = s"$prettyName(${bounds.map(_.sql).mkString(" AND ")})"

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): Expression =
    copy(bounds = changed)
}

object Prevailing {
  val Name: String = FunctionText.Prevailing.name

  /** Builds it from the arguments of a call. */
  def fromArguments(arguments: Seq[Expression]): Expression = arguments match {
    case Seq(left, right, lower, upper) =>
      Prevailing(
        Seq(
          GreaterThanOrEqual(right, Add(left, lower)),
          LessThanOrEqual(right, Add(left, upper))
        )
      )
    case Seq(left, right, lower) =>
      Prevailing(Seq(GreaterThanOrEqual(right, Add(left, lower)), LessThanOrEqual(right, left)))
    case other => throw Errors.prevailingArguments(Name, other.size)
  }
}
