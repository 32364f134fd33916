package io.scalegate.spark.window.partial

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId, NamedExpression}

/** One [[PartialPanesExec]] as it travels to the executors.
  *
  * @param shared
  *   what partial results that others add to as well are found by; see `SharedPanes`
  * @param input
  *   the columns of its rows
  * @param keys
  *   over `input`
  * @param pane
  *   one of `input`: the pane of a row, never NULL
  */
final case class PartialPanesTask(
    partials: PartialPanesOf,
    shared: Option[ExprId],
    input: Seq[Attribute],
    keys: Seq[NamedExpression],
    pane: Attribute
) {

  /** The partial results of the running task; public for generated code. */
  def begin(): PartialPanes = shared.fold(partials.begin())(SharedPanes.find)
}
