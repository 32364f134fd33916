package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{
  BinaryExpression,
  Expression,
  Predicate,
  Unevaluable
}

import io.scalegate.spark.Errors
import io.scalegate.spark.extract.TermType

/** `within_rows(left_time, right_time, n)`: of a pair of rows, the earlier one is among the last `n` rows
  * of its side when the later one arrives. It holds only of whole inputs, never of two rows alone, so a
  * plan that would have to evaluate it is refused.
  *
  * @param left
  *   the time of one side; rows of equal time are ordered by their content, and a left row comes before a
  *   right row
  */
final case class WithinRows(left: Expression, right: Expression, rows: Long)
    extends BinaryExpression
    with Predicate
    with Unevaluable {
  override def nullable: Boolean = false
  override def prettyName: String = WithinRows.Name
  override def sql: String = s"$prettyName(${left.sql}, ${right.sql}, $rows)"

  override def checkInputDataTypes(): TypeCheckResult = {
    val family = Seq(left, right)
      .map(e => TermType.of(e.dataType).map(_.family).filterNot(WithinRows.NoTime))
    val fine = family.forall(_.nonEmpty) && family.distinct.size == 1
    if (fine) TypeCheckSuccess
    else TypeCheckResult.TypeCheckFailure(Errors.timeTypes(left.dataType, right.dataType))
  }

  override protected def withNewChildrenInternal(l: Expression, r: Expression): Expression =
    copy(left = l, right = r)
}

object WithinRows {
  val Name = "within_rows"

  private val NoTime = Set("floating", "interval")

  /** Builds it from the arguments of a function call. */
  def fromArguments(arguments: Seq[Expression]): Expression = arguments match {
    case Seq(left, right, n) if n.foldable =>
      n.eval() match {
        case i: Int if i > 0 => WithinRows(left, right, i.toLong)
        case l: Long if l > 0 => WithinRows(left, right, l)
        case other => throw Errors.rowCount(String.valueOf(other))
      }
    case Seq(_, _, n) => throw Errors.rowCount(n.sql)
    case other => throw Errors.withinRowsArguments(other.size)
  }
}
