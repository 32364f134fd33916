package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, EqualTo, Expression}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.scalegate.{SparkExpressions, TaskAccess}
import org.apache.spark.sql.types.ArrayType

import io.scalegate.spark.bounds.TermType
import io.scalegate.spark.join.WholeInputMarker
import io.scalegate.spark.settings.{Errors, FunctionText, OperatorOption}
import io.scalegate.stream.Sides

/** `within_rows(left_time, right_time, n[, threads])`: of a pair of rows, the earlier one is among the last `n` rows of
  * its side when the later one arrives. `within_rows(left_time, right_time, n, left_key, right_key, …)`: among the last
  * `n` of its side that have the later one's keys. In the place of `n`, `array(a, b)` has a number for each side. It
  * holds only of whole inputs, never of two rows alone, so a plan that would have to evaluate it is refused.
  *
  * @param left
  *   the time of one side; rows of equal time are ordered by their content, and a left row comes before a
  *   right row
  * @param counted
  *   the last rows of the side of `left`, and those of the side of `right`
  * @param threads
  *   among which the join's task shares its comparisons, if the call says so
  * @param same
  *   that the keys which the rows are counted by are equal: equalities, so that Spark brings both keys to one type as
  *   it does those of any join; none where all rows count
  */
final case class WithinRows(
    left: Expression,
    right: Expression,
    counted: Sides[Long],
    threads: Option[Int] = None,
    same: Seq[Expression] = Nil
) extends Expression
    with WholeInputMarker {

  override def children: Seq[Expression] = left +: right +: same

  def isPerKey: Boolean = same.nonEmpty

  /** The times as (the left input's, the right one's), if each is of one of them. */
  def times(l: AttributeSet, r: AttributeSet): Option[(Expression, Expression)] =
    WithinRows.bySide(left, right, l, r)

  /** The last rows that count of the left input and of the right one. */
  def rows(l: AttributeSet, r: AttributeSet): Option[Sides[Long]] = times(l, r).map {
    case (ofLeft, _) =>
      if (ofLeft eq left) counted else Sides(counted.right, counted.left)
  }

  /** The keys in the same way, of the left input and of the right one. */
  def keys(l: AttributeSet, r: AttributeSet): Option[(Seq[Expression], Seq[Expression])] = {
    val pairs = same.map {
      case EqualTo(a, b) => WithinRows.bySide(a, b, l, r)
      case _ => None
    }
    if (pairs.forall(_.nonEmpty)) Some(pairs.flatten.unzip) else None
  }

  /** What EXPLAIN says of the window. */
  def describe: String = {
    val which = if (isPerKey) " of the key" else ""
    s"${WithinRows.described(counted)}$which by ${left.sql}, ${right.sql}"
  }

  override def nullable: Boolean = false
  override def misplaced: Exception = Errors.withinRowsMisplaced(sql)
  override def prettyName: String = WithinRows.Name
  override def sql: String =
    s"$prettyName(${left.sql}, ${right.sql}, $countSql${threads.fold("")(n => s", $n")}$keysSql)"

  private[this] def countSql =
    if (counted.left == counted.right) counted.left.toString
    else s"array(${counted.left}, ${counted.right})"

  private[this] def keysSql = same.map {
    case EqualTo(a, b) => s", ${a.sql}, ${b.sql}"
    case other => s", ${other.sql}"
  }.mkString

  override def checkInputDataTypes(): TypeCheckResult = {
    val family = Seq(left, right)
      .map(e => TermType.from(e.dataType).map(_.family).filterNot(WithinRows.NoTime))
    val fine = family.forall(_.nonEmpty) && family.distinct.size == 1
    if (fine) TypeCheckSuccess
    else TypeCheckResult.TypeCheckFailure(Errors.timeTypes(left.dataType, right.dataType))
  }

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): Expression =
    copy(left = changed(0), right = changed(1), same = changed.drop(2))
}

object WithinRows {
  val Name: String = FunctionText.WithinRows.name

  /** The window of rows of a join's condition, if it has one. */
  def find(condition: Option[Expression]): Option[WithinRows] =
    condition.flatMap(_.collectFirst { case w: WithinRows => w })

  private val NoTime = Set("floating", "interval", "decimal")

  /** Builds it from the arguments of a function call. */
  def fromArguments(arguments: Seq[Expression]): Expression = arguments match {
    case Seq(left, right, n) => WithinRows(left, right, rowCounts(n))
    case Seq(left, right, n, threads) =>
      val count = Some(threads)
        .map(positive(_, Errors.threadCount(OperatorOption.MostThreads)))
        .filter(_ <= OperatorOption.MostThreads)
        .getOrElse(throw Errors.threadCount(OperatorOption.MostThreads)(threads.sql))
      WithinRows(left, right, rowCounts(n), Some(count.toInt))
    case left +: right +: n +: keys
        if keys.nonEmpty && keys.size % 2 == 0 && !keys.exists(_.foldable) =>
      val same = keys.grouped(2).map(pair => EqualTo(pair(0), pair(1))).toSeq
      WithinRows(left, right, rowCounts(n), same = same)
    case other => throw Errors.withinRowsArguments(other.size)
  }

  /** What EXPLAIN says of a window of so many rows; the sides in the order of the times that follow. */
  private[scalegate] def described(rows: Sides[Long]): String =
    if (rows.left == rows.right) s"last ${rows.left} rows"
    else s"last ${rows.left} and ${rows.right} rows"

  /** A key in a form whose bytes are the same where values are equal: of one NaN, one zero, one spelling of what a
    * collation takes for the same text.
    */
  private[scalegate] def comparable(key: Expression): Expression =
    SparkExpressions.collated(TaskAccess.normalized(key))

  private def bySide(
      a: Expression,
      b: Expression,
      l: AttributeSet,
      r: AttributeSet
  ): Option[(Expression, Expression)] = {
    def over(e: Expression, side: AttributeSet) =
      e.references.nonEmpty && e.references.subsetOf(side)
    if (over(a, l) && over(b, r)) Some((a, b))
    else if (over(a, r) && over(b, l)) Some((b, a))
    else None
  }

  private[this] def positive(number: Expression, error: String => Exception): Long =
    constant(number, error) match {
      case Whole(n) if n > 0 => n
      case other => throw error(String.valueOf(other))
    }

  private[this] def rowCounts(rows: Expression): Sides[Long] =
    constant(rows, Errors.rowCount) match {
      case Whole(n) if n > 0 => Sides(n, n)
      case both: ArrayData =>
        val numbers = both.toSeq[Any](rows.dataType.asInstanceOf[ArrayType].elementType)
        numbers match {
          case Seq(Whole(l), Whole(r)) if l >= 0 && r >= 0 && (l > 0 || r > 0) => Sides(l, r)
          case other => throw Errors.rowCount(other.mkString("array(", ", ", ")"))
        }
      case other => throw Errors.rowCount(String.valueOf(other))
    }

  private[this] def constant(value: Expression, error: String => Exception): Any =
    if (value.foldable) value.eval() else throw error(value.sql)

  private object Whole {
    def unapply(value: Any): Option[Long] = value match {
      case i: Int => Some(i.toLong)
      case l: Long => Some(l)
      case _ => None
    }
  }
}
