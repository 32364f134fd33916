package io.scalegate.spark.window

import org.apache.spark.SparkException
import org.apache.spark.sql.catalyst.analysis.{TimeWindowing, UnresolvedExtractValue}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeSet,
  Cast,
  Expression,
  ExpressionSet,
  ExtractValue,
  LessThan,
  Literal,
  TimeWindow
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Expand,
  Filter,
  LogicalPlan,
  Project,
  Statistics,
  UnaryNode
}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.{IntegerType, LongType}

import io.scalegate.spark.plan.OwnNode
import io.scalegate.spark.settings.{NamedDesign, WindowEmission}

/** Each row once for each window that holds its time: what Spark's analyzer writes as a projection for each window
  * and a filter. It stands for these two between the analyzer and the planner, so that the optimizer treats the
  * aggregate above as it treats any, and the planner still knows size and slide.
  *
  * @param window
  *   the column that is added, Spark's own
  * @param time
  *   over the child's output, TIMESTAMP or TIMESTAMP_NTZ; rows without one are in no window
  * @param kept
  *   whether the aggregate above is one for panes; the rows without a time are then filtered out below
  * @param mode
  *   of a stream's query, where [[rules.TellOutputMode]] has told it
  * @param design
  *   of the papers, where a hint asks for one
  * @param emission
  *   in Real-Time Mode, where a hint says it
  */
final case class TimeWindows(
    window: Attribute,
    time: Expression,
    by: SlidingWindow,
    kept: Boolean,
    child: LogicalPlan,
    mode: Option[OutputMode] = None,
    design: Option[NamedDesign] = None,
    emission: Option[WindowEmission] = None
) extends UnaryNode
    with OwnNode {
  override def output: Seq[Attribute] = window +: child.output
  override def producedAttributes: AttributeSet = AttributeSet(window)
  override def references: AttributeSet = time.references

  override def maxRows: Option[Long] = OwnNode.times(child.maxRows, by.perRow)
  override def maxRowsPerPartition: Option[Long] =
    OwnNode.times(child.maxRowsPerPartition, by.perRow)

  /** As Spark estimates the projections: what is above may not seem smaller for being planned otherwise. */
  override def stats: Statistics = Statistics(
    sizeInBytes = child.stats.sizeInBytes * by.perRow,
    rowCount = child.stats.rowCount.map(_ * by.perRow)
  )

  /** A row comes out once for each window. */
  override protected def uniqueBy: Set[ExpressionSet] =
    child.distinctKeys.map(_ + window)

  override protected def holds: ExpressionSet = child.constraints

  override private[scalegate] def lineage: LogicalPlan = expanded

  /** What Spark's analyzer makes of it. */
  def expanded: LogicalPlan = byRule match {
    case Filter(condition, expand: Expand) =>
      val own = expand.output.head
      Filter(
        analyzed(condition, own),
        expand.copy(
          projections = expand.projections.map(_.map(analyzed(_, own))),
          output = output
        )
      )
    case Project((struct: Alias) +: passed, filter) =>
      val value = analyzed(struct.child, window.withExprId(struct.exprId))
      val named = Alias(value, window.name)(
        window.exprId,
        window.qualifier,
        Some(window.metadata)
      )
      Project(named +: passed, filter)
    case other =>
      throw SparkException.internalError(s"Spark makes another plan of windows: $other")
  }

  /** Whether a filter and projections are what the analyzer makes of it, when it has made them or at any time later. */
  private[scalegate] def isExpandedAs(condition: Expression, expand: Expand): Boolean =
    byRule match {
      case Filter(madeCondition, made: Expand) =>
        val own = made.output.head
        expand.output == output && made.projections.size == expand.projections.size &&
        made.projections.zip(expand.projections).forall { case (m, found) =>
          m.size == found.size && m.zip(found).forall { case (a, b) => becomes(a, b, own) }
        } && becomes(madeCondition, condition, own)
      case _ => false
    }

  /** The same of windows that do not overlap, which are a column more. */
  private[scalegate] def isExpandedAs(struct: Expression, condition: Expression): Boolean =
    byRule match {
      case Project((made: Alias) +: _, Filter(madeCondition, _)) =>
        val own = window.withExprId(made.exprId)
        becomes(made.child, struct, own) && becomes(madeCondition, condition, own)
      case _ => false
    }

  /** What the analyzer's rule for windows makes of it, in which the column of the window is another. */
  private[this] def byRule: LogicalPlan = {
    val asked = Alias(TimeWindow(time, by.size, by.slide, by.offset), window.name)()
    TimeWindowing(Project(Seq(asked), child)).children.head
  }

  /** What the analyzer's other rules make of an expression of the rule for windows, which names its column `own`. */
  private[this] def analyzed(expression: Expression, own: Attribute): Expression =
    expression.transformUp {
      case a: Attribute if a.exprId == own.exprId => window
      case UnresolvedExtractValue(value, name) => ExtractValue(value, name, conf.resolver)
      case LessThan(value, zero @ Literal(_, IntegerType)) =>
        LessThan(value, Cast(zero, LongType, Some(conf.sessionLocalTimeZone)))
    }

  /** Whether these rules make `found` of an expression. There are dozens of windows, whose expressions are neither
    * copied for this nor brought into a canonical form.
    */
  private[this] def becomes(made: Expression, found: Expression, own: Attribute): Boolean =
    (made, found) match {
      case (zero @ Literal(_, IntegerType), Cast(literal, LongType, _, _)) => zero == literal
      case (_: UnresolvedExtractValue, _) => analyzed(made, own) == found
      case (a: Attribute, _) if a.exprId == own.exprId => found == window
      case _ =>
        val children = found.children
        made.children.size == children.size &&
        made.children.zip(children).forall { case (m, f) => becomes(m, f, own) } &&
        (if (children.isEmpty) made else made.withNewChildren(children)) == found
    }

  override protected def withNewChildInternal(newChild: LogicalPlan): TimeWindows =
    copy(child = newChild)
}
