package io.scalegate.spark.bounds

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.DataType

/** The value of an expression, or NULL where its evaluation ends in an error.
  *
  * As a bounded attribute that is what an error means: of a row for which a conjunct of the condition has no value,
  * no pair is a match. Spark gives that error where it evaluates the conjunct, and no pair where it does not.
  *
  * It is not part of generated code, which would evaluate what it has in common with other expressions
  * outside of it.
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
