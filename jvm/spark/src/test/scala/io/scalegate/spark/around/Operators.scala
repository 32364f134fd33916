package io.scalegate.spark.around

import scala.collection.mutable

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec

import io.scalegate.spark.join.WindowJoinNode
import io.scalegate.spark.join.aggregate.IntervalAggregateExec
import io.scalegate.spark.join.batch.{LocalJoin, SweptJoin, WindowJoinExec}
import io.scalegate.spark.join.cube.CubeJoinExec
import io.scalegate.spark.join.operator.OperatorJoinExec
import io.scalegate.spark.join.rowcount.{RowWindowJoinExec, RowsPerKeyJoinExec}
import io.scalegate.spark.rows.IndexBy
import io.scalegate.spark.window.design.DesignWindowsExec
import io.scalegate.spark.window.slide.PaneWindowsExec

/** Which operators of this package a plan has run, by kind. */
private object Operators extends AdaptiveSparkPlanHelper {

  /** Each must come up among a thousand queries. */
  val Kinds: Seq[String] = Seq(
    "sweep",
    "index",
    "matrix",
    "broadcast",
    "by keys",
    "in slices",
    "index of ranges",
    "full join's halves",
    "full join by keys",
    "row window",
    "rows per key",
    "as of",
    "the nearest, or several",
    "two inequalities",
    "cube",
    "aggregates around",
    "in one task",
    "panes",
    "operator",
    "design"
  )

  private[this] val Nearest = ".*as of: (\\d+ |nearest).*".r

  def in(plan: SparkPlan): Set[String] =
    collectWithSubqueries(plan) {
      case scan: InMemoryTableScanExec => in(scan.relation.cachedPlan)
      case join: WindowJoinNode => ofJoin(join)
      case _: PaneWindowsExec => Set("panes")
      case _: DesignWindowsExec => Set("design")
      case _: CubeJoinExec => Set("cube")
      case _: IntervalAggregateExec => Set("aggregates around")
    }.flatten.toSet

  private[this] def ofJoin(join: WindowJoinNode): Set[String] = {
    val found = join match {
      case w: WindowJoinExec => ofLocal(w.local)
      case _: RowWindowJoinExec => Set("row window")
      case _: OperatorJoinExec => Set("operator")
      case _: RowsPerKeyJoinExec => Set("rows per key")
      case other => Set(other.nodeName)
    }
    val half = join.description.startsWith("full join's half")
    found ++
      Option.when(Nearest.matches(join.description))("the nearest, or several") ++
      Option.when(half)("full join's halves") ++
      Option.when(!half && join.probing.unfound)("full join by keys")
  }

  private[this] def ofLocal(local: LocalJoin): Set[String] = local match {
    case s: SweptJoin =>
      val byIndex = s.isInstanceOf[LocalJoin.IndexOrSweep]
      val algorithm =
        if (s.keys.partitions.nonEmpty) "matrix" else if (byIndex) "index" else "sweep"
      Set(algorithm, if (s.keys.cells.nonEmpty) "in slices" else "by keys")
    case n: LocalJoin.Nearest =>
      val where =
        if (n.keys.cells.nonEmpty) "in slices"
        else if (n.keys.left.isEmpty) "in one task"
        else "by keys"
      Set("as of", where)
    case i: LocalJoin.IndexOrBlocks =>
      Set(if (i.keys.cells.nonEmpty) "matrix" else "by keys", "index of ranges") ++ ofBounds(i)
    case b: LocalJoin.Broadcast =>
      Set("broadcast") ++ ofBounds(b)
  }

  private[this] def ofBounds(local: LocalJoin): Option[String] = local.terms.by match {
    case _: IndexBy.Nearest => Some("as of")
    case _: IndexBy.Compared => Some("two inequalities")
    case _ => None
  }

  /** How often each kind came up. */
  final class Tally {
    private[this] val times = mutable.Map.empty[String, Int].withDefaultValue(0)
    private[this] var cases = 0
    private[this] var shown = 0

    def add(operators: Set[String]): Unit = {
      cases += 1
      if (operators.nonEmpty) shown += 1
      operators.foreach(o => times(o) += 1)
    }

    def missing: Seq[String] = Kinds.filter(times(_) == 0)

    /** Of the cases, in percent, those that ran any. */
    def share: Int = if (cases == 0) 0 else shown * 100 / cases

    override def toString: String =
      s"$shown run one of our operators ($share %): " +
        Kinds.map(k => s"$k ${times(k)}").mkString(", ")
  }
}
