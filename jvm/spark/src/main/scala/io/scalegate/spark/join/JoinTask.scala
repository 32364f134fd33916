package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{Attribute, BasePredicate, Expression}

import io.scalegate.stream.Sides

/** What travels to the executors: joins what a task reads. */
trait JoinTask extends Serializable {

  /** The condition, if there is one, as a test of pairs in the running task. */
  protected def accepts(
      condition: Option[Expression],
      columns: Seq[Attribute]
  ): Option[BasePredicate] = condition.map(PairTest.predicate(_, Sides(columns, Nil)))
}
