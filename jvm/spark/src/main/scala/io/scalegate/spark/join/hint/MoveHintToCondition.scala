package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.expressions.{And, Equality, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.WholeInputMarker
import io.scalegate.spark.settings.ScaleGateConf

/** Makes a hint on a join's input a conjunct of the join's condition. The rule runs after resolution, when the inputs
  * are known: the optimizer rebuilds joins and keeps nothing but the condition.
  */
object MoveHintToCondition extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.exists(_.isInstanceOf[WindowJoinHint])) plan
    else
      plan.resolveOperatorsUp {
        case j: Join if j.resolved && (hinted(j.left) || hinted(j.right)) =>
          val bare = j.copy(left = withoutHint(j.left), right = withoutHint(j.right))
          val options = optionsIn(j.left) ++ optionsIn(j.right)
          if (ScaleGateConf.enabled(conf)) request(bare, merged(options)) else bare
      }

  /** The first to say something says it. */
  private[this] def merged(options: Seq[HintOptions]): HintOptions =
    options.find(_ != HintOptions()).getOrElse(HintOptions())

  private[this] def request(join: Join, options: HintOptions): Join = {
    val named = join.condition.toSeq.flatMap(_.references)
    val pair = for {
      l <- named.find(join.left.outputSet.contains).orElse(join.left.output.headOption)
      r <- named.find(join.right.outputSet.contains).orElse(join.right.output.headOption)
    } yield WindowJoinRequested(l, r, options, isWindowed(join))
    val condition = (join.condition ++ pair).reduceOption(And.apply)
    join.copy(condition = condition)
  }

  private[this] def isWindowed(join: Join): Boolean = {
    val (left, right) = (join.left.outputSet, join.right.outputSet)
    def isKey(a: Expression, b: Expression) =
      a.references.subsetOf(left) && b.references.subsetOf(right)
    join.condition.toSeq.flatMap(splitConjunctivePredicates).exists {
      case Equality(a, b) if isKey(a, b) || isKey(b, a) => false
      case marked if marked.exists(_.isInstanceOf[WholeInputMarker]) => false
      case c => c.references.exists(left.contains) && c.references.exists(right.contains)
    }
  }

  /** As Spark does for its own hints, a hint is seen through what keeps its input's rows apart. */
  private[this] def hinted(plan: LogicalPlan): Boolean = plan match {
    case _: WindowJoinHint => true
    case u: UnaryNode => hinted(u.child)
    case _ => false
  }

  private[this] def optionsIn(plan: LogicalPlan): Seq[HintOptions] = plan match {
    case WindowJoinHint(child, options) => options +: optionsIn(child)
    case u: UnaryNode => optionsIn(u.child)
    case _ => Nil
  }

  private[this] def withoutHint(plan: LogicalPlan): LogicalPlan = plan match {
    case WindowJoinHint(child, _) => withoutHint(child)
    case u: UnaryNode if hinted(u) => u.withNewChildren(Seq(withoutHint(u.child)))
    case other => other
  }
}
