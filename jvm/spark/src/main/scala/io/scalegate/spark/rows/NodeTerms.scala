package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.expressions.{Expression, NonSQLExpression, Unevaluable}
import org.apache.spark.sql.types.{DataType, NullType}

/** Several expressions of one node, and what belongs to them, as one argument of it. Spark's rules find a node's
  * expressions where an argument is an expression, or a sequence or an option of some, and put what they have made of
  * them in their places: so this is an expression, which has those that it holds for children, all of them, and is
  * never evaluated.
  */
trait NodeTerms extends Expression with Unevaluable with NonSQLExpression {
  final override def nullable: Boolean = true
  final override def dataType: DataType = NullType
}

object NodeTerms {

  /** The children of terms, to be dealt out again to what held them, in the same order. */
  final class Changed(children: Seq[Expression]) {
    private[this] val rest = children.iterator

    def one: Expression = rest.next()
    def in(terms: Seq[Expression]): Seq[Expression] = terms.map(_ => one)
    def in(terms: Option[Expression]): Option[Expression] = terms.map(_ => one)
  }
}
