package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.expressions.{DynamicPruningSubquery, Expression}
import org.apache.spark.sql.catalyst.optimizer.JoinSelectionHelper
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.adaptive.{BroadcastQueryStageExec, LogicalQueryStage}
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.plan.KeyLayout

/** Why a join by keys that could be run here is better left to Spark, which runs such joins well. Only a hint
  * overrules it: a setting says how joins are run here, not which.
  *
  * What Spark makes use of and this package's nodes would lose, or what it evaluates more rarely:
  *
  *   - partitions of one input that the values of the other rule out, for which Spark looks at its own broadcasts;
  *   - a data source that lies by the keys, and buckets that are merged to match the other side's;
  *   - a bound that fails for some values: Spark evaluates it where keys are equal and gives its error there;
  *   - a broadcast that has been made for a join of Spark's own, when adaptive execution asks again.
  */
object LeftToSpark extends JoinSelectionHelper {

  /** None for a join that is run here if it can be. */
  def reason(c: WindowJoinCandidate, conf: SQLConf): Option[String] =
    if (c.isRequested || c.leftKeys.isEmpty) None
    else
      Seq(
        "a side has been broadcast for Spark's own join" -> hasBroadcast(c),
        "Spark reads only the partitions that the other side's keys name" -> isPruned(c, conf),
        "Spark's own join makes use of how an input lies" -> isLaidOut(c, conf),
        "a bound may fail for rows that have no partner" -> mayThrow(c)
      ).collectFirst { case (why, true) => why }

  private[this] def hasBroadcast(c: WindowJoinCandidate): Boolean =
    Seq(c.join.left, c.join.right).exists {
      case LogicalQueryStage(_, _: BroadcastQueryStageExec) => true
      case _ => false
    }

  private[this] def isPruned(c: WindowJoinCandidate, conf: SQLConf): Boolean = {
    val (l, r) = (c.join.left, c.join.right)
    canBroadcastBySize(r, conf) && isFilteredBy(l, c.rightKeys) ||
    canBroadcastBySize(l, conf) && isFilteredBy(r, c.leftKeys)
  }

  /** Whether an input has a filter that takes the keys of the other one. */
  private[this] def isFilteredBy(input: LogicalPlan, keys: Seq[Expression]): Boolean =
    input.exists(_.expressions.exists(_.exists {
      case d: DynamicPruningSubquery =>
        d.buildKeys.forall(k => keys.exists(_.semanticEquals(k)))
      case _ => false
    }))

  private[this] def isLaidOut(c: WindowJoinCandidate, conf: SQLConf): Boolean = {
    val sides = Seq(c.join.left -> c.leftKeys, c.join.right -> c.rightKeys)
    val layouts = sides.map { case (input, keys) =>
      KeyLayout.from(input).filter(_.isWithin(keys))
    }
    conf.v2BucketingEnabled && layouts.exists(_.exists(_.isKeyGrouped)) ||
    conf.coalesceBucketsInJoinEnabled && layouts.forall(_.exists(_.isHashed))
  }

  private[this] def mayThrow(c: WindowJoinCandidate): Boolean =
    c.differences.exists(_.mayThrow) || c.inequalities.exists(_.mayThrow)
}
