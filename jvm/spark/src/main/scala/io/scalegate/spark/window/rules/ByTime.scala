package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, TypeCheckResult}
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  Cast,
  EqualTo,
  Expression,
  ExpressionInfo,
  GreaterThan,
  If,
  IsNotNull,
  IsNull,
  LessThan,
  Literal,
  Or
}
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.GroupingKeys
import org.apache.spark.sql.types.{DataType, StringType}

import io.scalegate.spark.settings.{Errors, FunctionText}

/** `first_by_time(value, time)` and `last_by_time(value, time)`: the value of the row with the earliest or the latest
  * time, whatever the order in which rows arrive. Of several values at that time the first takes the smallest and the
  * last the greatest, NULL being smaller than any other, and equal ones that differ (-0.0 and 0.0, texts of a
  * collation) in the order of what they are written as; rows without a time do not count, and of no rows the result is
  * NULL.
  *
  * Its partial results merge in any order, so aggregates over windows may have it on panes.
  *
  * @param value
  *   of a type that has an order
  * @param time
  *   likewise; a timestamp, as a rule
  */
final case class ByTime(value: Expression, time: Expression, latest: Boolean)
    extends DeclarativeAggregate
    with BinaryLike[Expression] {
  override def left: Expression = value
  override def right: Expression = time
  override def prettyName: String = ByTime.text(latest).name
  override def nullable: Boolean = true
  override def dataType: DataType = value.dataType

  override def checkInputDataTypes(): TypeCheckResult =
    Seq(value, time)
      .map(e => TypeUtils.checkForOrderingExpr(e.dataType, prettyName))
      .find(_.isFailure)
      .getOrElse(TypeCheckResult.TypeCheckSuccess)

  /** NULL as long as there is no row. */
  private[this] lazy val keptTime = AttributeReference("time", time.dataType)()
  private[this] lazy val kept = AttributeReference("value", value.dataType)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(keptTime, kept)
  override lazy val initialValues: Seq[Expression] =
    Seq(Literal.create(null, time.dataType), Literal.create(null, value.dataType))
  override lazy val updateExpressions: Seq[Expression] =
    chosen(keptTime, kept, time, value)
  override lazy val mergeExpressions: Seq[Expression] =
    chosen(keptTime.left, kept.left, keptTime.right, kept.right)
  override lazy val evaluateExpression: Expression = kept

  /** The one of two rows that stays. */
  private[this] def chosen(
      time: Expression,
      value: Expression,
      otherTime: Expression,
      otherValue: Expression
  ): Seq[Expression] = {
    val tied = And(EqualTo(otherTime, time), precedes(otherValue, value))
    val other =
      And(IsNotNull(otherTime), Or(IsNull(time), Or(beyond(otherTime, time), tied)))
    Seq(If(other, otherTime, time), If(other, otherValue, value))
  }

  private[this] def beyond(a: Expression, b: Expression): Expression =
    if (latest) GreaterThan(a, b) else LessThan(a, b)

  /** The order of values, in which none is NULL. */
  private[this] def precedes(a: Expression, b: Expression): Expression = {
    val missing = if (latest) b else a
    val present = if (latest) a else b
    Or(
      And(IsNull(missing), IsNotNull(present)),
      And(
        And(IsNotNull(missing), IsNotNull(present)),
        if (GroupingKeys.haveEquals(dataType))
          Or(beyond(a, b), And(EqualTo(a, b), beyond(text(a), text(b))))
        else beyond(a, b)
      )
    )
  }

  /** By which values differ that are equal and not the same. */
  private[this] def text(value: Expression): Expression =
    Cast(value, StringType, Some(SQLConf.get.sessionLocalTimeZone))

  override protected def withNewChildrenInternal(v: Expression, t: Expression): ByTime =
    copy(value = v, time = t)
}

object ByTime {
  private def text(latest: Boolean) =
    if (latest) FunctionText.LastByTime else FunctionText.FirstByTime

  /** Both functions, as a session registers them. */
  val functions: Seq[(FunctionIdentifier, ExpressionInfo, FunctionRegistry.FunctionBuilder)] =
    Seq(false, true).map { latest =>
      val described = text(latest)
      val build: FunctionRegistry.FunctionBuilder = {
        case Seq(value, time) => ByTime(value, time, latest)
        case other => throw Errors.byTimeArguments(described.name, other.size)
      }
      (FunctionIdentifier(described.name), described.info(classOf[ByTime]), build)
    }
}
