package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Filter,
  LogicalPlan,
  Project,
  RepartitionByExpression,
  Window
}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf

/** By which columns the rows of a join's input lie together before the join, as far as the input's logical plan shows.
  * Read when a join is planned.
  *
  * @param columns
  *   over the input's output
  * @param isHashed
  *   whether a partition is found by their hash, in this order, so that a join by them need not exchange the input; if
  *   not, they name the directories that the rows lie in
  * @param isKeyGrouped
  *   whether a data source says that it lies so, which only Spark's own joins make use of
  */
final case class KeyLayout(
    columns: Seq[Attribute],
    isHashed: Boolean = true,
    isKeyGrouped: Boolean = false
) {
  def isWithin(keys: Seq[Expression]): Boolean =
    columns.nonEmpty && columns.forall(c => keys.exists(_.semanticEquals(c)))
}

object KeyLayout {
  def from(input: LogicalPlan): Seq[KeyLayout] = input match {
    case p: Project => from(p.child).flatMap(through(p.projectList))
    case f: Filter => from(f.child)
    case a: Aggregate => hashed(a.groupingExpressions).flatMap(through(a.aggregateExpressions))
    case w: Window => hashed(w.partitionSpec)
    case r: RepartitionByExpression => hashed(r.partitionExpressions)
    case stage: LogicalQueryStage => ofPhysical(stage.physicalPlan, stage.output)
    case cached: InMemoryRelation =>
      ofPhysical(cached.cachedPlan, cached.output)
    case files: LogicalRelation => ofFiles(files)
    case scanned: DataSourceV2ScanRelation =>
      scanned.keyGroupedPartitioning.toSeq.flatMap(hashed).map(_.copy(isKeyGrouped = true))
    case _ => Nil
  }

  /** Whether rows with equal keys lie together. */
  def isBy(input: LogicalPlan, keys: Seq[Expression]): Boolean =
    from(input).exists(_.isWithin(keys))

  /** The indexes of a join's keys in the order in which one of its inputs is hashed by them, if one is: then the other
    * input can be exchanged to lie as that does.
    */
  def orderOf(
      left: LogicalPlan,
      leftKeys: Seq[Expression],
      right: LogicalPlan,
      rightKeys: Seq[Expression]
  ): Seq[Int] = {
    val orders = for {
      (input, keys) <- Seq(left -> leftKeys, right -> rightKeys)
      layout <- from(input) if layout.isHashed
      indexes = layout.columns.map(c => keys.indexWhere(_.semanticEquals(c)))
      if indexes.sorted == keys.indices
    } yield indexes
    orders.headOption.getOrElse(leftKeys.indices)
  }

  private[this] def hashed(by: Seq[Expression]): Seq[KeyLayout] = {
    val columns = by.collect { case a: Attribute => a }
    if (columns.isEmpty || columns.size < by.size) Nil else Seq(KeyLayout(columns))
  }

  private[this] def through(named: Seq[NamedExpression])(layout: KeyLayout): Option[KeyLayout] = {
    val columns = layout.columns.flatMap(c =>
      named.collectFirst {
        case a: Attribute if a.semanticEquals(c) => a
        case renamed @ Alias(a: Attribute, _) if a.semanticEquals(c) => renamed.toAttribute
      }
    )
    Option.when(columns.size == layout.columns.size)(layout.copy(columns = columns))
  }

  private[this] def ofPhysical(plan: SparkPlan, output: Seq[Attribute]): Seq[KeyLayout] =
    plan.outputPartitioning match {
      case HashPartitioning(by, _) =>
        val indexes = by.map(e => plan.output.indexWhere(_.semanticEquals(e)))
        if (indexes.forall(output.indices.contains)) hashed(indexes.map(output)) else Nil
      case _ => Nil
    }

  private[this] def ofFiles(files: LogicalRelation): Seq[KeyLayout] = files.relation match {
    case relation: HadoopFsRelation =>
      def named(names: Seq[String]) = names.flatMap(n => files.output.find(_.name == n))
      val buckets = relation.bucketSpec.filter(_ => SQLConf.get.bucketingEnabled).toSeq
      buckets.flatMap(b => hashed(named(b.bucketColumnNames))) ++
        named(relation.partitionSchema.names.toSeq).map(c => KeyLayout(Seq(c), isHashed = false))
    case _ => Nil
  }
}
