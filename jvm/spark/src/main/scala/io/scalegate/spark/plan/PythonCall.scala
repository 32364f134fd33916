package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Expression,
  PredicateHelper,
  PythonUDF,
  Unevaluable
}
import org.apache.spark.sql.types.DataType

/** A call of a function in Python that the tasks of a join make themselves, of columns of both its inputs. Spark does not
  * know it for one: it would compute the function below the join, and refuse it where that cannot be.
  *
  * @param function
  *   without its arguments, which are the children
  */
final case class PythonCall private (function: PythonUDF, children: Seq[Expression])
    extends Expression
    with Unevaluable {
  override def dataType: DataType = function.dataType
  override def nullable: Boolean = function.nullable
  override lazy val deterministic: Boolean =
    function.udfDeterministic && children.forall(_.deterministic)

  override def prettyName: String = function.name
  override def sql: String = children.map(_.sql).mkString(s"$prettyName(", ", ", ")")
  override def toString: String = children.mkString(s"$prettyName(", ", ", ")")

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): PythonCall =
    copy(children = changed)
}

object PythonCall extends PredicateHelper {

  /** The expression with its functions in Python as calls. */
  def hide(e: Expression): Expression = e.transformUp { case f: PythonUDF =>
    PythonCall(f.copy(children = Nil), f.children)
  }

  /** The expression with its calls as functions that Spark knows. */
  def shown(e: Expression): Expression = e.transformUp { case c: PythonCall =>
    c.function.copy(children = c.children)
  }

  def isIn(e: Expression): Boolean = e.exists(_.isInstanceOf[PythonCall])

  /** What of a condition calls such functions, and the rest of it. */
  def apart(condition: Option[Expression]): (Option[Expression], Option[Expression]) = {
    val (python, others) = condition.toSeq.flatMap(splitConjunctivePredicates).partition(isIn)
    (python.reduceOption(And.apply), others.reduceOption(And.apply))
  }
}
