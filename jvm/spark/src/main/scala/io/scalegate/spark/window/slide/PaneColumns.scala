package io.scalegate.spark.window.slide

import org.apache.spark.sql.catalyst.expressions.Attribute

import io.scalegate.spark.window.partial.{PaneBlock, PaneFunctions}

/** In which form panes come or are held.
  *
  * @param input
  *   keys, the pane and the partial results' columns, in this order; or keys, a number and panes as `PaneBlock` has
  *   them
  * @param packed
  *   in the latter case, how many panes one number stands for, as a power of two; a block's panes at most
  */
final case class PaneColumns(input: Seq[Attribute], packed: Option[Int])

object PaneColumns {

  /** Of the panes that come from an exchange.
    *
    * @param columns
    *   of the rows that come, found by index and not by name: a function that a rule has copied names its columns anew
    * @param packed
    *   whether they are those of `PartialPanesExec`
    */
  def arriving(
      columns: Seq[Attribute],
      keys: Seq[Attribute],
      functions: PaneFunctions,
      packed: Boolean
  ): PaneColumns = {
    val input = if (packed) columns else columns.take(keys.size + 1) ++ functions.partial
    PaneColumns(input, Option.when(packed)(PaneBlock.Bits))
  }
}
