package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{
  AttributeSet,
  BinaryExpression,
  Expression,
  Predicate,
  Unevaluable
}

import io.scalegate.spark.Errors
import io.scalegate.spark.extract.TermType

/** `within_rows(left_time, right_time, n[, threads])`: of a pair of rows, the earlier one is among the last
  * `n` rows of its side when the later one arrives. It holds only of whole inputs, never of two rows alone, so
  * a plan that would have to evaluate it is refused.
  *
  * @param left
  *   the time of one side; rows of equal time are ordered by their content, and a left row comes before a
  *   right row
  * @param threads
  *   among which the join's task shares its comparisons, if the call says so
  */
final case class WithinRows(
    left: Expression,
    right: Expression,
    rows: Long,
    threads: Option[Int] = None
) extends BinaryExpression
    with Predicate
    with Unevaluable {

  /** The times as (the left input's, the right one's), if each is of one of them. */
  def times(l: AttributeSet, r: AttributeSet): Option[(Expression, Expression)] = {
    def over(e: Expression, side: AttributeSet) =
      e.references.nonEmpty && e.references.subsetOf(side)
    if (over(left, l) && over(right, r)) Some((left, right))
    else if (over(left, r) && over(right, l)) Some((right, left))
    else None
  }

  override def nullable: Boolean = false
  override def prettyName: String = WithinRows.Name
  override def sql: String =
    s"$prettyName(${left.sql}, ${right.sql}, $rows${threads.fold("")(n => s", $n")})"

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

  private val NoTime = Set("floating", "interval", "decimal")

  /** Builds it from the arguments of a function call. */
  def fromArguments(arguments: Seq[Expression]): Expression = arguments match {
    case Seq(left, right, n) => WithinRows(left, right, positive(n, Errors.rowCount))
    case Seq(left, right, n, threads) =>
      val count = Some(threads)
        .map(positive(_, Errors.threadCount))
        .filter(_ <= MostThreads)
        .getOrElse(throw Errors.threadCount(threads.sql))
      WithinRows(left, right, positive(n, Errors.rowCount), Some(count.toInt))
    case other => throw Errors.withinRowsArguments(other.size)
  }

  private[this] def positive(number: Expression, error: String => Exception): Long =
    if (!number.foldable) throw error(number.sql)
    else
      number.eval() match {
        case i: Int if i > 0 => i.toLong
        case l: Long if l > 0 => l
        case other => throw error(String.valueOf(other))
      }

  /** More threads than this are a mistake. */
  private[spark] val MostThreads = 1024
}
