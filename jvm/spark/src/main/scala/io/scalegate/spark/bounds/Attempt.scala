package io.scalegate.spark.bounds

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.DataType

/** An expression that is NULL where the evaluation of its child ends in an error.
  *
  * Planning puts it around bounded attributes, and tasks evaluate it. A join evaluates these for every row, where Spark
  * evaluates its condition on some pairs. A row for which a conjunct has no value matches nothing, as one whose
  * attribute is NULL does. So Spark gives an error where it evaluates such a conjunct, and this package gives no pair.
  *
  * It is not part of generated code, which would evaluate what it has in common with other expressions outside of it.
  */
final case class Attempt(child: Expression) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = child.dataType

  override def nullable: Boolean = true

  override def eval(input: InternalRow): Any =
    try child.eval(input)
    catch { case NonFatal(_) => null }

  override def sql: String = child.sql

  override def toString: String = child.toString

  override protected def withNewChildInternal(newChild: Expression): Attempt =
    copy(child = newChild)
}

object Attempt {

  /** The expression itself where it always has a value. */
  def ifNeeded(e: Expression): Expression = if (MayThrow(e)) Attempt(e) else e
}
