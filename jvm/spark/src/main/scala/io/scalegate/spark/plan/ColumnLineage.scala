package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  AttributeMap,
  AttributeSet,
  Expression,
  NamedExpression,
  PredicateHelper,
  SubqueryExpression,
  WindowExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Expand,
  Filter,
  Generate,
  LeafNode,
  LogicalPlan,
  Project,
  SerializeFromObject,
  Union,
  Window
}
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.{ExternalRDD, LogicalRDD}
import org.apache.spark.sql.scalegate.RowsAtHand

/** Where the values of some columns of a plan come from: the tables below its joins, aggregates and other operators. To
  * read the columns there takes no exchange and computes no join, and shows about where the values lie: which rows of a
  * table a join keeps, how often, and which of a group's values an aggregate takes, is not known. So it may decide how a
  * query is run, and never what it gives. Called when a query is planned; it starts nothing.
  */
private[spark] object ColumnLineage extends PredicateHelper {

  /** A plan whose columns have about the values that these expressions have, in their order; None where they come from
    * several inputs of a join, from somebody's function, or from what cannot be read twice. Filters stay, where they are
    * of the same table alone.
    *
    * @param columns
    *   over the plan's output
    */
  def of(plan: LogicalPlan, columns: Seq[Expression]): Option[LogicalPlan] =
    if (columns.forall(isPlain)) from(plan, columns, Nil) else None

  private[this] def from(
      plan: LogicalPlan,
      columns: Seq[Expression],
      filters: Seq[Expression]
  ): Option[LogicalPlan] = plan match {
    case Project(list, child) => through(list, child, columns, filters)
    case Aggregate(_, list, child, _) => through(list, child, columns, filters)
    case Window(list, _, _, child, _) => through(child.output ++ list, child, columns, filters)
    case own: OwnNode if own.lineage ne own => from(own.lineage, columns, filters)
    case expand: Expand =>
      val first = expand.projections.head.zip(expand.output).map { case (value, column) =>
        Alias(value, column.name)(column.exprId)
      }
      through(first, expand.child, columns, filters)
    case Filter(condition, child) =>
      from(child, columns, filters ++ splitConjunctivePredicates(condition).filter(isPlain))
    case union: Union => ofEach(union, columns, filters)
    case leaf: LeafNode if isReadAgain(leaf) => Some(read(leaf, columns, filters))
    case _: Generate | _: SerializeFromObject if isMadeInPlace(plan, columns) =>
      Some(read(plan, columns, filters))
    case _ =>
      val needed = AttributeSet(columns)
      plan.children.filter(child => needed.subsetOf(child.outputSet)) match {
        case Seq(child) => from(child, columns, filters)
        case _ => None
      }
  }

  /** Of the list's columns to what these are of the child's. */
  private[this] def through(
      list: Seq[NamedExpression],
      child: LogicalPlan,
      columns: Seq[Expression],
      filters: Seq[Expression]
  ): Option[LogicalPlan] = {
    val made = AttributeMap(list.collect { case alias: Alias =>
      alias.toAttribute -> alias.child
    })
    def below(e: Expression): Option[Expression] = {
      val replaced = e.transformUp { case a: Attribute => made.getOrElse(a, a) }
      valueOf(replaced).filter(isPlain)
    }
    val known = columns.flatMap(below)
    val ofEachRow = filters.filterNot(_.references.exists(a => made.get(a).exists(isOfRows)))
    if (known.size < columns.size) None else from(child, known, ofEachRow.flatMap(below))
  }

  /** Whether it is computed of several rows. */
  private[this] def isOfRows(e: Expression): Boolean = e.exists {
    case _: AggregateExpression | _: WindowExpression => true
    case _ => false
  }

  /** With one of the values that a function of several rows takes, for its result: the greatest of a column lies where the
    * column's values lie. None where it takes none of the result's type.
    */
  private[this] def valueOf(e: Expression): Option[Expression] = {
    val replaced = e.transformDown {
      case w: WindowExpression => taken(w.windowFunction).getOrElse(w)
      case a: AggregateExpression => taken(a.aggregateFunction).getOrElse(a)
    }
    Option.when(!isOfRows(replaced))(replaced)
  }

  private[this] def taken(function: Expression): Option[Expression] = function match {
    case a: AggregateExpression => taken(a.aggregateFunction)
    case _ => function.children.find(c => c.dataType == function.dataType && !c.foldable)
  }

  private[this] def ofEach(
      union: Union,
      columns: Seq[Expression],
      filters: Seq[Expression]
  ): Option[LogicalPlan] = {
    val sources = union.children.flatMap { child =>
      val own = AttributeMap(union.output.zip(child.output))
      def ofChild(e: Expression) = e.transformUp { case a: Attribute => own.getOrElse(a, a) }
      from(child, columns.map(ofChild), filters.map(ofChild))
    }
    Option.when(sources.size == union.children.size)(Union(sources))
  }

  private[this] def read(
      source: LogicalPlan,
      columns: Seq[Expression],
      filters: Seq[Expression]
  ): LogicalPlan = {
    val named = columns.zipWithIndex.map { case (c, i) => Alias(c, s"attribute$i")() }
    val condition =
      filters.filter(_.references.subsetOf(source.outputSet)).reduceOption(And.apply)
    Project(named, condition.fold(source)(Filter(_, source)))
  }

  /** Rows that are made of each row of a table, and nothing of several. */
  private[this] def isMadeInPlace(plan: LogicalPlan, columns: Seq[Expression]): Boolean = {
    def isInPlace(p: LogicalPlan): Boolean = p match {
      case leaf: LeafNode => isReadAgain(leaf)
      case _: Project | _: Filter | _: Generate | _: SerializeFromObject =>
        p.expressions.forall(isPlain) && p.children.forall(isInPlace)
      case _ => false
    }
    AttributeSet(columns).subsetOf(plan.outputSet) && isInPlace(plan)
  }

  /** Whether an expression has the same values where it is evaluated once more, without another query's result. */
  private[plan] def isPlain(e: Expression): Boolean =
    e.deterministic && !SubqueryExpression.hasSubquery(e)

  /** What Spark reads again, too, where it sorts; an RDD only where its rows are at hand. */
  private[this] def isReadAgain(leaf: LeafNode): Boolean = !leaf.isStreaming && (leaf match {
    case rows: LogicalRDD => RowsAtHand.of(rows.rdd)
    case objects: ExternalRDD[_] => RowsAtHand.of(objects.rdd)
    case _: InMemoryRelation | _: LogicalRelation | _: DataSourceV2ScanRelation => true
    case _: LogicalQueryStage => false
    case _ => InputSample.isCheap(leaf)
  })
}
