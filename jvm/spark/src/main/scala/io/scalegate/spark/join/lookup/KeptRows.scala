package io.scalegate.spark.join.lookup

import java.util.{LinkedHashMap, Map => JavaMap, WeakHashMap}

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  ExprId,
  Expression,
  PythonUDF,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.stream.{Side, Sides}

/** The rows of a cached table beside a stream, by which their broadcast is found in the batches after the one that made
  * it: what was cached does not change, so each executor indexes them once. On the driver alone.
  *
  * A broadcast is held for as long as the cached table: when that is no more, or cached again, it is not found. Whether
  * the executors keep its bytes and indexes in memory is up to Spark's storage, and [[BroadcastIndexes]].
  *
  * @param rows
  *   what is done with the table's rows, over a relation that stands for the table
  */
final case class KeptRows private (rows: LogicalPlan)(table: InMemoryRelation) {
  import KeptRows.isLoaded

  /** As they were broadcast for a batch before. */
  def broadcast: Option[Broadcast[Array[InternalRow]]] = cached.flatMap(KeptRows.find(_, rows))

  /** Takes note of them for the batches to come. */
  def keep(packed: Broadcast[Array[InternalRow]]): Unit =
    cached.foreach(KeptRows.add(_, rows, packed))

  /** None where a part of the table is not in the cache: it would be read again. */
  private[this] def cached: Option[RDD[_]] =
    Option.when(isLoaded(table))(table.cacheBuilder.cachedColumnBuffers)
}

object KeptRows {

  /** Broadcasts of one table that are kept: conditions on the time of the batch make each batch's rows others. */
  private[this] val MostOfTable = 4

  private[this] type ByRows = JavaMap[LogicalPlan, Broadcast[Array[InternalRow]]]

  private[this] val kept = new WeakHashMap[RDD[_], ByRows]

  /** What the rows are known by, if they are those of one cached table, beside a stream, and few enough by the setting.
    */
  def from(held: LogicalPlan, beside: LogicalPlan, conf: SQLConf): Option[KeptRows] =
    tableOf(held, beside, conf).map(table => KeptRows(rowsOf(held, table))(table))

  /** The side of a join that is such a table, where broadcasts are not switched off. */
  def worthKeeping(inputs: Sides[LogicalPlan], conf: SQLConf): Option[Side] =
    if (conf.autoBroadcastJoinThreshold < 0) None
    else
      Seq[Side](Side.R, Side.S)
        .find(side => tableOf(inputs(side), inputs(side.opposite), conf).nonEmpty)

  /** What EXPLAIN says of such a choice. */
  val Why = "it is cached, and kept from batch to batch"

  private[this] def tableOf(
      held: LogicalPlan,
      beside: LogicalPlan,
      conf: SQLConf
  ): Option[InMemoryRelation] = {
    val most = ScaleGateConf.keptTableBytes(conf)
    if (most == 0 || !isStream(beside) || isStream(held)) None
    else tableOf(held).filter(bytes(_, held) <= most)
  }

  private[this] def tableOf(held: LogicalPlan): Option[InMemoryRelation] =
    planned(held) match {
      case table: InMemoryRelation => Option.when(isLoaded(table))(table)
      case step @ (_: Project | _: Filter) if step.expressions.forall(isFunctionOfRow) =>
        tableOf(step.children.head)
      case _ => None
    }

  private def isLoaded(table: InMemoryRelation) = table.cacheBuilder.isCachedColumnBuffersLoaded

  /** As any query has them: the table's columns are numbered, in numbers that no query's have. Without the table, which
    * must go when it is not cached any more.
    */
  private[this] def rowsOf(held: LogicalPlan, table: InMemoryRelation): LogicalPlan = {
    val byId = table.output.zipWithIndex.map { case (a, i) =>
      a.exprId -> ExprId(Long.MinValue + i)
    }.toMap
    planned(held)
      .transform { case t: InMemoryRelation => LocalRelation(t.output) }
      .transformAllExpressions {
        case a: AttributeReference => byId.get(a.exprId).fold(a)(a.withExprId)
      }
      .canonicalized
  }

  private[this] def isFunctionOfRow(e: Expression) =
    e.deterministic && !e.exists {
      case _: SubqueryExpression | _: PythonUDF => true
      case _ => false
    }

  /** By the number of rows, or by the cache's own size where that says more: long texts are short in estimates. */
  private[this] def bytes(table: InMemoryRelation, held: LogicalPlan): BigInt = {
    val width = EstimationUtils.getSizePerRow(held.output)
    val cached = table.stats.sizeInBytes * width / EstimationUtils.getSizePerRow(table.output)
    table.stats.rowCount.fold(cached)(rows => cached.max(rows * width))
  }

  /** Without the stages in which adaptive execution has run parts of it. */
  private[this] def planned(plan: LogicalPlan): LogicalPlan = plan.transform {
    case stage: LogicalQueryStage => planned(stage.logicalPlan)
  }

  private[this] def isStream(plan: LogicalPlan): Boolean = planned(plan).isStreaming

  private def find(table: RDD[_], rows: LogicalPlan): Option[Broadcast[Array[InternalRow]]] =
    kept.synchronized(Option(kept.get(table)).flatMap(of => Option(of.get(rows))))

  private def add(
      table: RDD[_],
      rows: LogicalPlan,
      packed: Broadcast[Array[InternalRow]]
  ): Unit = kept.synchronized {
    kept.computeIfAbsent(table, _ => new Recent).put(rows, packed)
    ()
  }

  /** The last ones that were asked for. */
  final private[this] class Recent
      extends LinkedHashMap[LogicalPlan, Broadcast[Array[InternalRow]]](16, 0.75f, true) {
    override protected def removeEldestEntry(
        eldest: JavaMap.Entry[LogicalPlan, Broadcast[Array[InternalRow]]]
    ): Boolean = size > MostOfTable
  }
}
