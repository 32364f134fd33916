package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.analysis.DeduplicateRelations
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  Expression,
  Literal,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan, Project, Union}
import org.apache.spark.sql.catalyst.plans.{FullOuter, Inner, LeftAnti, LeftOuter}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.trees.TreePattern.OUTER_JOIN
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.join.Probing
import io.scalegate.spark.plan.{ReadOnce, Steadiness}
import io.scalegate.spark.settings.{Algorithm, NamedOperator, ScaleGateConf}

/** Makes two joins of a full join that no single operator can run: the left join, which gives the pairs and the left
  * rows, and the right rows that match nothing, which an anti join gives. A row is decided in the task that has all of
  * its matches. Of both sides' rows one task has these only where an equality key brings them together, and holds them
  * only if they are few enough to index.
  *
  * Both halves read both inputs. An input whose rows are not known to be the same each time is read once, into an
  * exchange that both halves share (`ReadOnce`); others are read twice, each half with what it needs of them.
  *
  * One by keys that nobody asked us to run is left to Spark, which reads its inputs once. The rule runs before the
  * cost-based ones.
  */
object SplitFullJoin extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUpWithPruning(_.containsPattern(OUTER_JOIN)) {
        case join: Join if join.joinType == FullOuter && !join.isStreaming =>
          splitOf(new WindowJoinCandidate(join)).getOrElse(join)
      }

  /** What EXPLAIN says of a join that is half of a full one. */
  def describe(join: Join): Option[String] = join.getTagValue(Half)

  /** Why a full join cannot be split, if it cannot. */
  def obstacle(join: Join): Option[String] = {
    val inputs = Seq(join.left, join.right)
    inputs
      .flatMap(Steadiness.obstacle)
      .headOption
      .filterNot(_ => conf.exchangeReuseEnabled)
      .map(what =>
        s"its inputs may have other rows when they are read again, because of $what, and " +
          s"${SQLConf.EXCHANGE_REUSE_ENABLED.key} is off, without which both would read them"
      )
      .orElse(join.condition.filter(SubqueryExpression.hasInOrCorrelatedExistsSubquery).map(c =>
        s"its condition has a subquery: ${c.sql}"
      ))
      .orElse(
        Option.when(inputs.map(halvesIn).sum > MostHalves)(
          "too many full joins lie below it, each of which would be run twice"
        )
      )
      .orElse(
        Option.when(inputs.exists(fresh(_).isEmpty))("an operator below it cannot be had twice")
      )
  }

  private[this] def splitOf(c: WindowJoinCandidate): Option[LogicalPlan] =
    for {
      why <- reason(c) if obstacle(c.join).isEmpty
      (left, leftAgain) <- twice(c.join.left)
      (right, rightAgain) <- twice(c.join.right)
      pairs = Join(left, right, LeftOuter, c.join.condition, JoinHint.NONE)
      condition = c.join.condition.map(over(leftAgain, rightAgain, c.join, _))
      unmatched = Join(rightAgain, leftAgain, LeftAnti, condition, JoinHint.NONE)
      if c.isRequested || Seq(pairs, unmatched).forall(WindowJoinStrategy.runs)
    } yield {
      pairs.setTagValue(Half, s"full join's half: its pairs and left rows ($why)")
      unmatched.setTagValue(Half, s"full join's half: its right rows that match nothing ($why)")
      Union(Seq(pairs, besideNulls(leftAgain, unmatched)))
    }

  /** Why a join is to be split that can be run here; None if it is run as it is. */
  private[this] def reason(c: WindowJoinCandidate): Option[String] = {
    val other = asked(c).collect { case (a, how) if isSplit(a) => s"$how, '${a.name}'" }
    if (!c.isRunWhereSplit) None
    else if (c.leftKeys.isEmpty) Some("no equality key")
    else if (!c.isRequested) None
    else if (other.nonEmpty) other
    else if (AlgorithmChoice.forJoin(c, Probing.from(FullOuter).get, conf).nonEmpty) None
    else Some("too large to be indexed")
  }

  private[this] def isSplit(asked: Algorithm): Boolean = asked match {
    case Algorithm.Index | _: NamedOperator => false
    case _ => true
  }

  /** The hint's algorithm, or the one that is set, if each half can be run by that. */
  private[this] def asked(c: WindowJoinCandidate): Option[(Algorithm, String)] =
    c.requested.orElse(
      ScaleGateConf.algorithm(conf).collect {
        case Algorithm.Sweep if c.inequalities.isEmpty => Algorithm.Sweep -> "as set"
        case Algorithm.Broadcast => Algorithm.Broadcast -> "as set"
      }
    )

  /** A join's condition, over other inputs of the same columns. */
  private[this] def over(
      left: LogicalPlan,
      right: LogicalPlan,
      join: Join,
      condition: Expression
  ): Expression = {
    val others =
      AttributeMap((join.left.output ++ join.right.output).zip(left.output ++ right.output))
    condition.transform { case a: Attribute =>
      others.get(a).fold(a)(_.withQualifier(a.qualifier))
    }
  }

  /** The columns of the full join, for rows of its right side. */
  private[this] def besideNulls(left: LogicalPlan, rows: LogicalPlan): LogicalPlan =
    Project(left.output.map(a => Alias(Literal(null, a.dataType), a.name)()) ++ rows.output, rows)

  /** The input, and the same rows in columns of their own. */
  private[this] def twice(input: LogicalPlan): Option[(LogicalPlan, LogicalPlan)] =
    fresh(input).map { again =>
      Steadiness.obstacle(input).map(ReadOnce(Seq(input, again), _)) match {
        case Some(copies) => (copies.head, copies.last)
        case None => (input, again)
      }
    }

  /** The same rows in columns of their own; None of a plan that cannot be had twice. Spark gives the columns that a
    * correlated subquery reads of the plan around it no new names.
    */
  private[this] def fresh(input: LogicalPlan): Option[LogicalPlan] =
    Option.when(!input.exists(_.expressions.exists(SubqueryExpression.hasCorrelatedSubquery))) {
      DeduplicateRelations(Join(input, input, Inner, None, JoinHint.NONE)).children.last
    }.filter(_.outputSet.intersect(input.outputSet).isEmpty)

  private[this] def halvesIn(plan: LogicalPlan): Int =
    plan.collect { case join: Join if describe(join).nonEmpty => join }.size

  /** Of those below a join that is split: three full joins that follow on each other are split, and no more. */
  private[this] val MostHalves = 6

  private[this] val Half = TreeNodeTag[String]("scalegate.halfOfFullJoin")
}
