package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  Average,
  BitAggregate,
  Count,
  HyperLogLogPlusPlus,
  Max,
  Min,
  Sum
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Distinct,
  Expand,
  Filter,
  Generate,
  GlobalLimit,
  Join,
  LeafNode,
  LocalLimit,
  LocalRelation,
  LogicalPlan,
  Offset,
  OneRowRelation,
  Project,
  Range,
  RepartitionOperation,
  Sample,
  Sort,
  SubqueryAlias,
  Tail,
  Union,
  Window
}
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation,
  FileTable
}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.types.{DoubleType, FloatType}

/** Whether a plan gives the same rows each time that it is run. That is so of what is known here, and of nothing else:
  * the rows of an RDD are what its functions make of them, a data source may answer otherwise when it is asked again,
  * and a cached table is computed again when its blocks are gone.
  */
object Steadiness {

  /** What may make the rows others, if anything may. */
  def obstacle(plan: LogicalPlan): Option[String] =
    plan match {
      case _: ReadOnce => None
      case known => ofNode(known)
          .orElse(known.subqueries.flatMap(obstacle).headOption)
          .orElse(known.children.flatMap(obstacle).headOption)
    }

  /** What makes an operator's rows depend on more than the rows that it reads. */
  private[this] def ofNode(plan: LogicalPlan): Option[String] = plan match {
    case leaf: LeafNode =>
      if (repeats(leaf)) None else Some(s"${leaf.nodeName}, a source of its own")
    case _: GlobalLimit | _: LocalLimit | _: Offset | _: Tail => Some("LIMIT or OFFSET")
    case _: Sample => Some("a sample")
    case _: Window => Some("window functions, where rows may tie")
    case _: Project | _: Filter | _: Join | _: Aggregate | _: Union | _: Distinct | _: Expand |
        _: Generate | _: Sort | _: RepartitionOperation | _: SubqueryAlias => ofTerms(plan)
    case other => ofTerms(other).orElse(Some(other.nodeName))
  }

  /** Files were listed when the query was analyzed. */
  private[this] def repeats(leaf: LeafNode): Boolean = leaf match {
    case _: LocalRelation | _: Range | _: OneRowRelation | _: HiveTableRelation => true
    case r: LogicalRelation => r.relation.isInstanceOf[HadoopFsRelation]
    case r: DataSourceV2Relation => r.table.isInstanceOf[FileTable]
    case r: DataSourceV2ScanRelation => r.relation.table.isInstanceOf[FileTable]
    case r: LogicalRDD => r.rdd.isCheckpointed
    case _ => false
  }

  private[this] def ofTerms(plan: LogicalPlan): Option[String] =
    plan.expressions.flatMap(_.collectFirst(Function.unlift(unsteadyTerm))).headOption

  private[this] def unsteadyTerm(e: Expression): Option[String] = e match {
    case a: AggregateExpression if !isOfAnyOrder(a.aggregateFunction) => Some(a.sql)
    case other if !other.deterministic && other.children.forall(_.deterministic) =>
      Some(other.sql)
    case _ => None
  }

  /** Whether an aggregate is the same whatever the order of its rows. Sums of floating-point numbers are rounded. */
  private[this] def isOfAnyOrder(function: AggregateFunction): Boolean = function match {
    case _: Count | _: Max | _: Min | _: BitAggregate | _: HyperLogLogPlusPlus => true
    case _: Sum | _: Average => function.children.head.dataType match {
        case DoubleType | FloatType => false
        case _ => true
      }
    case _ => false
  }
}
