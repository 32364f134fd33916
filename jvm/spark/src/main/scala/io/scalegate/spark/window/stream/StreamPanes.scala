package io.scalegate.spark.window.stream

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  Expression,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types.{BinaryType, LongType}

import io.scalegate.spark.checkpoint.{CheckpointTerms, TermText}
import io.scalegate.spark.settings.NamedDesign
import io.scalegate.spark.window.PaneTerms
import io.scalegate.spark.window.partial.PaneFunctions
import io.scalegate.spark.window.slide.{PaneColumns, PaneWindowsTask}

/** An aggregate of a stream over sliding windows, as it is planned; the terms are those of `PaneWindowsExec` and
  * `PartialPanesExec`. The driver makes one for each batch; tasks get its [[held]] and [[arriving]].
  *
  * @param functionTerms
  *   what a checkpoint says of each function
  * @param realTime
  *   if it runs in Real-Time Mode
  * @param design
  *   of the papers, which makes the windows of the panes where a hint asks for it. What is held is the same, so a query may
  *   go on with another, or with none
  */
final case class StreamPanes(
    terms: PaneTerms,
    window: Attribute,
    pane: Attribute,
    results: Seq[NamedExpression],
    packed: Boolean,
    functionTerms: Seq[String],
    realTime: Option[RealTimePanesTerms] = None,
    design: Option[NamedDesign] = None
) {
  import terms.{by, functions, having}

  def keys: Seq[Attribute] = terms.keys

  /** All that is evaluated: Catalyst's rules change it where they find it, and that is in a plan's node, which gives it
    * back by [[withExpressions]].
    */
  def expressions: Seq[Expression] = functions ++ having ++ results

  def withExpressions(changed: Seq[Expression]): StreamPanes = {
    val (ofFunctions, others) = changed.splitAt(functions.size)
    val (ofHaving, ofResults) = others.splitAt(having.size)
    copy(
      terms = terms.copy(
        functions = ofFunctions.map(_.asInstanceOf[AggregateExpression]),
        having = ofHaving.headOption
      ),
      results = ofResults.map(_.asInstanceOf[NamedExpression])
    )
  }

  def output: Seq[Attribute] = results.map(_.toAttribute)

  /** Whether a watermark closes the windows. */
  def hasWatermark: Boolean = window.metadata.contains(EventTimeWatermark.delayKey)

  private[this] val windowFunctions = PaneFunctions(keys :+ window, functions, results)

  /** The columns that panes are held in, as `StoredPanes` has them: what they are found by, and what is found. */
  val keyColumns: Seq[Attribute] =
    keys :+ (if (packed) AttributeReference("panes", LongType, nullable = false)() else pane)
  val valueColumns: Seq[Attribute] =
    if (packed) Seq(AttributeReference("results", BinaryType, nullable = false)())
    else windowFunctions.partial

  /** With panes as they are held for input. */
  def held: PaneWindowsTask =
    PaneWindowsTask(
      by,
      PaneColumns(keyColumns ++ valueColumns, Option.when(packed)(StoredPanes.partBits(by))),
      keys,
      window,
      windowFunctions,
      having
    )

  /** With panes as they come for input, in these columns, of which the last are not theirs in Real-Time Mode. */
  def arriving(columns: Seq[Attribute]): PaneWindowsTask =
    PaneWindowsTask(
      by,
      PaneColumns.arriving(
        columns.dropRight(realTime.fold(0)(_ => RealTimePanesTerms.Columns)),
        keys,
        windowFunctions,
        packed
      ),
      keys,
      window,
      windowFunctions,
      having
    )

  /** What EXPLAIN says. */
  def description: Seq[String] =
    terms.description ++ realTime.map(_.describe) ++ design.map(_.describe)

  private[this] val format = "format" -> (if (packed) "3" else "1")

  /** What a checkpoint must have been made by for this aggregate to go on with it. */
  def checkpointed: CheckpointTerms = CheckpointTerms(
    Seq(
      format,
      "windows" -> s"${by.size} every ${by.slide} from ${by.offset}",
      "keys" -> keys.map { k =>
        (TermText.columnName(k).toSeq :+ TermText.typeName(k.dataType)).mkString(" ")
      }.mkString(", "),
      "functions" -> functionTerms.mkString(", ")
    ),
    OlderPaneTerms.differences(_, format, by, keys, functions.map(_.aggregateFunction))
  )
}
