package io.scalegate.spark.join.asof

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  AttributeSet,
  Expression,
  PredicateHelper,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{BROADCAST, Join, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.plans.{InnerLike, LeftAnti, LeftOuter, LeftSemi}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.PythonCondition
import io.scalegate.spark.join.hint.{HintOptions, OuterColumn, SideHint, WindowJoinRequested}
import io.scalegate.spark.settings.{Errors, ScaleGateConf}

/** Takes joins with [[AsOf]], and Spark's own joins with the nearest rows, out of the optimizer's hands.
  *
  * The rule runs when a plan is normalized, before the optimizer, which moves filters below joins: a filter below would
  * take right rows away that are the nearest to a left one.
  */
object ExtractAsOfJoin extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUpWithSubqueries {
        case Asked(join) => node(join)
      }

  /** A join with the nearest rows that is run here, with an [[AsOf]] in its condition, be it one of Spark's own. */
  object Asked {
    def unapply(plan: LogicalPlan): Option[Join] = plan match {
      case j: Join if j.resolved && j.condition.exists(AsOf.isIn) => Some(j)
      case j @ SparkAsOfJoin(join)
          if j.resolved && (join.left.isStreaming || !join.right.isStreaming) &&
            !isLeftToSpark(join) =>
        Some(join)
      case _ => None
    }
  }

  /** What is refused in a join of ours, Spark's own may run. */
  private[this] def isLeftToSpark(join: Join): Boolean =
    OuterColumn.in(join).nonEmpty || join.condition.exists(c =>
      PythonCondition.isIn(c) || SubqueryExpression.hasInOrCorrelatedExistsSubquery(c)
    )

  /** A join with an [[AsOf]] in its condition, as a node of this package's. */
  def node(join: Join): LogicalPlan = {
    val conjuncts = join.condition.toSeq.flatMap(splitConjunctivePredicates)
    val (markers, others) = conjuncts.partition(_.isInstanceOf[AsOf])
    val (requests, condition) = others.partitionMap {
      case r: WindowJoinRequested => Left(r.options)
      case other => Right(other)
    }
    requests.foreach(refuseWay(_, join.isStreaming))
    val marker = markers match {
      case Seq(only: AsOf) if !condition.exists(AsOf.isIn) => only
      case _ => throw Errors.asOfMisplaced(join.condition.get.sql)
    }
    refuse(join, condition)
    val (left, right) = (join.left.outputSet, join.right.outputSet)
    if (!isOver(marker.leftTime, left) || !isOver(marker.rightTime, right))
      throw Errors.asOfSides(marker.leftTime.sql, marker.rightTime.sql)
    marker.ties.find(!isOver(_, right)).foreach(tie => throw Errors.asOfTies(tie.sql))
    over(join, marker, condition.reduceOption(And.apply))
  }

  /** The join whose times are columns: what bounds their difference is found by that. */
  private[this] def over(
      join: Join,
      marker: AsOf,
      condition: Option[Expression]
  ): LogicalPlan = {
    val (left, leftTime) = withColumn(join.left, marker.leftTime)
    val (plain, hint) = SideHint.takenFrom(join.right)
    val broadcast = hint.exists(_.strategy.contains(BROADCAST))
    val (right, rightTime) = withColumn(plain, marker.rightTime)
    val tolerance = marker.tolerance.map(_.transformDown {
      case e if e.semanticEquals(marker.leftTime) => leftTime
      case e if e.semanticEquals(marker.rightTime) => rightTime
    })
    val terms = AsOfTerms(
      leftTime,
      rightTime,
      tolerance,
      marker.ties,
      marker.direction,
      marker.exact,
      marker.most
    )
    val node = AsOfJoin(left, right, terms, condition, join.joinType, broadcast)
    if ((left eq join.left) && (right eq plain)) node else Project(join.output, node)
  }

  private[this] def withColumn(
      input: LogicalPlan,
      time: Expression
  ): (LogicalPlan, Attribute) = time match {
    case column: Attribute => (input, column)
    case other =>
      val column = Alias(other, "__scalegate_time")()
      (Project(input.output :+ column, input), column.toAttribute)
  }

  private[this] def refuseWay(asked: HintOptions, streaming: Boolean): Unit = {
    if (asked.ordered && !streaming) throw Errors.orderedBatch
    if (asked.ordered)
      throw Errors.hintAlgorithm(
        HintOptions.Ordered,
        "the rows of an as-of join come in no order"
      )
    asked.requested.foreach(a =>
      throw Errors.hintAlgorithm(a.name, "how an as-of join is run goes by its inputs alone")
    )
  }

  private[this] def refuse(join: Join, condition: Seq[Expression]): Unit = {
    join.joinType match {
      case _: InnerLike | LeftOuter | LeftSemi | LeftAnti => ()
      case other => throw Errors.asOfJoinType(other.sql)
    }
    if (join.right.isStreaming && !join.left.isStreaming) throw Errors.asOfStream
    OuterColumn.in(join).foreach(c =>
      throw Errors.markerCorrelated("an as-of join", c)
    )
    condition.find(PythonCondition.isIn).foreach(c => throw Errors.asOfPython(c.sql))
    condition
      .find(SubqueryExpression.hasInOrCorrelatedExistsSubquery)
      .foreach(c => throw Errors.asOfSubquery(c.sql))
  }

  private[this] def isOver(e: Expression, side: AttributeSet): Boolean =
    e.references.nonEmpty && e.references.subsetOf(side) && e.deterministic
}
