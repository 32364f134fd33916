package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.expressions.{
  Add,
  Alias,
  Attribute,
  AttributeMap,
  CreateNamedStruct,
  Expression,
  Literal,
  PreciseTimestampConversion,
  Remainder,
  Subtract,
  TimeWindow,
  UnaryExpression,
  Unevaluable
}
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{FILTER, TIME_WINDOW, TreePattern}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.RealTimeMode
import org.apache.spark.sql.types.{DataType, LongType}

import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.spark.window.hint.WindowHint
import io.scalegate.spark.window.stream.StreamingPanes
import io.scalegate.spark.window.{SlidingWindow, TimeWindows}

/** Finds sliding windows, of enough overlap, or of none where they are asked for, in the forms that the analyzer has
  * given them, before the optimizer changes them; Spark's own form too, for what is on now may have been off then. The
  * rule runs when a plan is normalized.
  */
object ExtractTimeWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val wanted = FoundTimeWindows.areWanted(conf)
    val mode = QueryOutputMode.find(plan)
    def told(found: TimeWindows) =
      asked(if (mode.isEmpty) found else found.copy(mode = mode))
    plan.transformUpWithSubqueriesAndPruning(_.containsAnyPattern(TIME_WINDOW, FILTER)) {
      case GatheredTimeWindows(found) =>
        if (wanted && FoundTimeWindows.mayRun(found.child, conf)) told(found)
        else found.expanded
      case f @ Filter(_, e: Expand) if wanted =>
        FoundTimeWindows.in(f, e, conf).fold[LogicalPlan](f)(told)
      case TumblingWindows(found) if wanted && isLive(found) => told(found)
    }
  }

  /** Whether windows that do not overlap are run here: in Real-Time Mode, where that is asked for; where a hint asks, in
    * batches, too, so that a query may go on in either.
    */
  private[this] def isLive(found: TimeWindows) = FoundTimeWindows.mayRun(found.child, conf) &&
    (WindowHint.emission(found.child).nonEmpty ||
      (ScaleGateConf.realTimeWindows(conf).nonEmpty && RealTimeMode.isIn(found.child)))

  /** With what hints on their rows ask for. */
  private[this] def asked(found: TimeWindows): TimeWindows = found.copy(
    design = WindowHint.design(found.child),
    emission = WindowHint.emission(found.child),
    child = WindowHint.without(found.child)
  )
}

/** Sliding windows as one projection, a node of Spark's, whose columns the analyzer knows how to rename. */
private[scalegate] object GatheredTimeWindows {
  def apply(windows: TimeWindows): Expand = {
    val all = WindowsOfTime(windows.time, windows.by, windows.window.dataType)
    Expand(Seq(all +: windows.child.output), windows.output, windows.child)
  }

  def unapply(plan: LogicalPlan): Option[TimeWindows] = plan match {
    case Expand(Seq(WindowsOfTime(time, by, _) +: passed), window +: columns, child) =>
      val found = TimeWindows(window, time, by, kept = false, child)
      val pairs = passed.zip(columns)
      Some(if (pairs.forall(isSame)) found else renamed(found, pairs))
    case _ => None
  }

  private[this] val isSame: ((Expression, Attribute)) => Boolean = {
    case (a: Attribute, column) => a.exprId == column.exprId
    case _ => false
  }

  /** The analyzer gives columns new names where both sides of a join have them. */
  private[this] def renamed(
      windows: TimeWindows,
      pairs: Seq[(Expression, Attribute)]
  ): TimeWindows = {
    val columnOf = AttributeMap(pairs.collect { case (a: Attribute, column) => a -> column })
    windows.copy(
      time = windows.time.transform { case a: Attribute => columnOf.getOrElse(a, a) },
      child = Project(
        pairs.map {
          case same @ (_, column) if isSame(same) => column
          case (value, c) => Alias(value, c.name)(c.exprId, c.qualifier, Some(c.metadata))
        },
        windows.child
      )
    )
  }
}

/** Windows of a stream that do not overlap, in the form that the analyzer has given them. */
private[rules] object TumblingWindows {
  def unapply(plan: LogicalPlan): Option[TimeWindows] = plan match {
    case Project((struct: Alias) +: passed, Filter(condition, child))
        if struct.metadata.contains(TimeWindow.marker) && child.isStreaming &&
          plan.resolved && passed == child.output =>
      FoundTimeWindows.read(struct.toAttribute, struct.child, child).filter { found =>
        found.by.size == found.by.slide && found.time.deterministic &&
        found.isExpandedAs(struct.child, condition)
      }
    case _ => None
  }
}

/** The windows that hold a time, each of them in a row of its own. */
final private[scalegate] case class WindowsOfTime(
    child: Expression,
    by: SlidingWindow,
    dataType: DataType
) extends UnaryExpression
    with Unevaluable {
  override def nullable: Boolean = true
  override val nodePatterns: Seq[TreePattern] = Seq(TIME_WINDOW)
  override def prettyName: String = "windows"
  override def toString: String = s"$prettyName($child, $by)"

  override protected def withNewChildInternal(newChild: Expression): Expression =
    copy(child = newChild)
}

/** Reads sliding windows off the form that Spark's analyzer gives them. What is read off is checked: Spark's own rule
  * must make the same plan of it.
  */
private object FoundTimeWindows {
  def areWanted(conf: SQLConf): Boolean =
    ScaleGateConf.enabled(conf) && ScaleGateConf.aggregates(conf)

  def mayRun(rows: LogicalPlan, conf: SQLConf): Boolean =
    !rows.isStreaming || StreamingPanes.isEnabled(conf)

  def in(filter: Filter, expand: Expand, conf: SQLConf): Option[TimeWindows] =
    if (!filter.resolved || !mayRun(filter, conf)) None
    else any(filter, expand).filter(found => found.time.deterministic && overlap(found, conf))

  /** Whether they overlap by as much as a setting asks for, or a hint asks for them. */
  private[this] def overlap(found: TimeWindows, conf: SQLConf) =
    found.by.size / found.by.slide >= ScaleGateConf.minOverlap(conf) ||
      WindowHint.design(found.child).nonEmpty || WindowHint.emission(found.child).nonEmpty

  /** Sliding windows in Spark's form, whether or not they may be run here. */
  def any(filter: Filter, expand: Expand): Option[TimeWindows] =
    for {
      window <- expand.output.headOption
      if window.metadata.contains(TimeWindow.marker) && expand.output.tail == expand.child.output
      struct <- expand.projections.headOption.flatMap(_.headOption)
      found <- read(window, struct, expand.child)
      if found.by.perRow == expand.projections.size && found.isExpandedAs(
        filter.condition,
        expand
      )
    } yield found

  def read(
      window: Attribute,
      struct: Expression,
      child: LogicalPlan
  ): Option[TimeWindows] =
    for {
      size <- struct match {
        case CreateNamedStruct(Seq(_, _, _, end)) =>
          end.collectFirst { case Add(_, Literal(size: Long, LongType), _) => size }
        case _ => None
      }
      found <- struct.collectFirst {
        case Remainder(
              Subtract(
                PreciseTimestampConversion(time, _, LongType),
                Literal(offset: Long, LongType),
                _
              ),
              Literal(slide: Long, LongType),
              _
            ) =>
          TimeWindows(window, time, SlidingWindow(size, slide, offset), kept = false, child)
      }
    } yield found
}
