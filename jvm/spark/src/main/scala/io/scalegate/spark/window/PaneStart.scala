package io.scalegate.spark.window

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType}

/** The pane that holds a time. The expression is projected below the partial aggregate; tasks evaluate it.
  *
  * @param child
  *   TIMESTAMP or TIMESTAMP_NTZ, both of which Spark holds as microseconds; NULL gives NULL
  */
final case class PaneStart(child: Expression, by: SlidingWindow) extends UnaryExpression {
  override def dataType: DataType = LongType
  override def nullIntolerant: Boolean = true
  override def prettyName: String = "pane"

  override protected def nullSafeEval(time: Any): Any = by.pane(time.asInstanceOf[Long])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val windows = ctx.addReferenceObj("windows", by)
    val panes = ctx.addMutableState(
      classOf[PaneCursor].getName,
      "panes",
      name => s"$name = new ${classOf[PaneCursor].getName}($windows);"
    )
    defineCodeGen(ctx, ev, time => s"$panes.pane($time)")
  }

  override protected def withNewChildInternal(newChild: Expression): Expression =
    copy(child = newChild)
}
