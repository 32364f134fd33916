package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType}

/** The cell that a point on a line lies in. Tasks evaluate it.
  *
  * @param child
  *   a value that is stored as a whole number
  */
final case class CellOfPoint(child: Expression, by: SliceBy.Domain)
    extends UnaryExpression
    with CodegenFallback {
  override def dataType: DataType = LongType

  override protected def nullSafeEval(value: Any): Any = value match {
    case l: Long => by.cellOf(l)
    case i: Int => by.cellOf(i.toLong)
    case other =>
      throw new IllegalStateException(s"$other is no point on a line of whole numbers")
  }

  override protected def withNewChildInternal(newChild: Expression): CellOfPoint =
    copy(child = newChild)
}
