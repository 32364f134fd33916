package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{Expression, PredicateHelper, PythonUDF}
import org.apache.spark.sql.catalyst.plans.logical.Join

/** A join's condition in two parts. Spark evaluates functions in Python for many rows at once, in an operator of their
  * own above the one that gives these rows: so a join finds the pairs that satisfy what the JVM evaluates, and the
  * functions say which of them are pairs of the join.
  *
  * @param candidates
  *   the conjuncts without such a function, and those whose functions take columns of one input each
  * @param python
  *   those with a function of both inputs' columns
  */
final private[spark] case class PythonCondition(
    candidates: Seq[Expression],
    python: Seq[Expression]
)

private[spark] object PythonCondition extends PredicateHelper {

  /** Of a join with a function of both inputs' columns in its condition. */
  def of(join: Join): Option[PythonCondition] = {
    val conjuncts = join.condition.toSeq.flatMap(splitConjunctivePredicates)
    val (python, candidates) = conjuncts.partition(isOfBoth(join, _))
    Option.when(python.nonEmpty && python.forall(_.deterministic))(
      PythonCondition(candidates, python)
    )
  }

  def isPython(e: Expression): Boolean = e.isInstanceOf[PythonUDF]

  def isIn(e: Expression): Boolean = e.exists(isPython)

  private[this] def isOfBoth(join: Join, conjunct: Expression): Boolean = conjunct match {
    case _: WholeInputMarker => false
    case other => other.exists { e =>
        isPython(e) && !join.children.exists(input => e.references.subsetOf(input.outputSet))
      }
  }
}
