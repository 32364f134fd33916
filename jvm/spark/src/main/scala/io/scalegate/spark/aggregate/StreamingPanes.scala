package io.scalegate.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction
}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  AttributeReference,
  AttributeSet,
  Expression,
  ExpressionSet,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  EventTimeWatermark,
  LogicalPlan,
  Statistics,
  UnaryNode
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.{GroupingKeys, PlannedExec, StreamingPanesExec}
import org.apache.spark.sql.types.{BinaryType, LongType}

import io.scalegate.spark.plan.OwnNode
import io.scalegate.spark.streaming.{CheckpointTerms, TermText}

/** An aggregate of a stream that this package runs on panes. A node of its own and no Aggregate: Spark plans the
  * aggregates of streams before it asks anybody else.
  */
final case class StreamingPaneAggregate(
    grouping: Seq[Expression],
    aggregates: Seq[NamedExpression],
    child: LogicalPlan
) extends UnaryNode
    with OwnNode {
  override def output: Seq[Attribute] = aggregates.map(_.toAttribute)

  /** A batch may close windows of rows that came long before, and nothing is known of these. */
  override def maxRows: Option[Long] = None
  override def maxRowsPerPartition: Option[Long] = None
  override def stats: Statistics = Statistics(sizeInBytes = child.stats.sizeInBytes)
  override def references: AttributeSet =
    AttributeSet.fromAttributeSets(expressions.map(_.references))
  override protected def uniqueBy: Set[ExpressionSet] = Set.empty
  override protected def holds: ExpressionSet = ExpressionSet()

  def aggregate: Aggregate = Aggregate(grouping, aggregates, child)

  override protected def withNewChildInternal(newChild: LogicalPlan): StreamingPaneAggregate =
    copy(child = newChild)
}

/** Takes the aggregates over windows that are kept for panes out of Spark's hands, when the optimizer has moved filters
  * and columns below them.
  */
object ExtractStreamingPanes extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !plan.exists(_.isInstanceOf[TimeWindows])) plan
    else
      plan.transformUp {
        case a @ PaneAggregate(found) if a.isStreaming && found.windows.kept =>
          val of = a.asInstanceOf[Aggregate]
          StreamingPaneAggregate(of.groupingExpressions, of.aggregateExpressions, of.child)
      }
}

/** Which aggregates of streams panes can compute. */
private[aggregate] object StreamingPanes {

  /** Not where Spark takes the watermark of a batch for that of the batch before: what was given already is then not
    * known.
    */
  def isEnabled(conf: SQLConf): Boolean =
    conf.getConf(SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE)

  /** The windows alone say what is late, and Spark refuses keys that may be equal without having the same bytes. */
  def isRunnable(found: PaneAggregate): Boolean = found.keys.forall { k =>
    !k.metadata.contains(EventTimeWatermark.delayKey) && UnsafeRowUtils.isBinaryStable(k.dataType)
  }
}

/** Plans aggregates of streams over sliding windows: a partial aggregate by keys and pane, an exchange by the
  * keys, and the operator that holds the panes.
  */
object StreamingPanesStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case s: StreamingPaneAggregate =>
      s.aggregate match {
        case PaneAggregate(found) => Seq(planned(found))
        case other =>
          throw new IllegalStateException(
            s"an aggregate that was Spark's was taken from it: $other"
          )
      }
    case _ => Nil
  }

  private[this] def planned(found: PaneAggregate): PlannedExec = {
    val keys = found.keys.map(GroupingKeys.normalized)
    val panes = StreamPanes(
      found.terms(keys),
      found.window,
      found.rows.pane,
      found.results,
      PartialPanesExec.packs(found),
      functionTerms(found)
    )
    PlannedExec(
      panes.output,
      PartialPanesExec.plan(found, keys, planLater),
      LocalTableScanExec(Nil, Nil, None),
      StreamingPanesExec(panes, _)
    )
  }

  /** The functions, their arguments and filters over what the rows have that come to the windows. */
  private[this] def functionTerms(found: PaneAggregate): Seq[String] = {
    val fields = AttributeMap(found.rows.fields.collect { case f: Alias =>
      f.toAttribute -> f.child
    })
    val text = new TermText(a => TermText.folded(a.name))
    def of(e: Expression) =
      text(e.transform { case a: Attribute => fields.getOrElse(a, a) })
    found.functions.map { f =>
      val result = TermText.typeName(f.aggregateFunction.dataType)
      s"${of(f.aggregateFunction)}${f.filter.fold("")(c => s" filter ${of(c)}")} $result"
    }
  }
}

/** An aggregate of a stream over sliding windows, as it is planned; the terms are those of [[PaneWindowsExec]] and
  * [[PartialPanesExec]].
  *
  * @param functionTerms
  *   what a checkpoint says of each function
  */
final case class StreamPanes(
    terms: PaneTerms,
    window: Attribute,
    pane: Attribute,
    results: Seq[NamedExpression],
    packed: Boolean,
    functionTerms: Seq[String]
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

  private[this] val of = PaneFunctions(keys :+ window, functions, results)

  /** The columns that panes are held in, as [[HeldPanes]] has them: what they are found by, and what is found. */
  val keyColumns: Seq[Attribute] =
    keys :+ (if (packed) AttributeReference("panes", LongType, nullable = false)() else pane)
  val valueColumns: Seq[Attribute] =
    if (packed) Seq(AttributeReference("results", BinaryType, nullable = false)()) else of.partial

  /** With panes as they are held for input. */
  def held: PaneWindows =
    PaneWindows(
      by,
      PaneColumns(keyColumns ++ valueColumns, Option.when(packed)(HeldPanes.partBits(by))),
      keys,
      window,
      of,
      having
    )

  /** With panes as they come for input, in these columns. */
  def arriving(columns: Seq[Attribute]): PaneWindows =
    PaneWindows(by, PaneColumns.arriving(columns, keys, of, packed), keys, window, of, having)

  /** What EXPLAIN says. */
  def description: Seq[String] = terms.description

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

/** Reads the terms that versions wrote which had types in Spark's words, and of functions no more than names and types. The
  * case of names is ignored.
  */
private object OlderPaneTerms {
  def differences(
      old: Map[String, String],
      format: (String, String),
      by: SlidingWindow,
      keys: Seq[Attribute],
      functions: Seq[AggregateFunction]
  ): Seq[(String, String, String)] = {
    def folded(terms: Seq[(String, String)]) =
      terms.map { case (name, value) => name -> TermText.folded(value) }.toMap
    val now = Seq(
      format,
      "windows" -> by.toString,
      "keys" -> keys.map(k => s"${k.name} ${k.dataType.sql}").mkString(", "),
      "functions" -> functions.map(f => s"${f.prettyName} ${f.dataType.sql}").mkString(", ")
    )
    val differing =
      CheckpointTerms.differences(folded(old.toSeq), folded(now).toSeq).map(_._1).toSet
    CheckpointTerms.differences(old, now).filter { case (name, _, _) => differing(name) }
  }
}
