package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{Attribute, BasePredicate, Expression}

import io.scalegate.stream.Sides

/** A join as it travels to the executors, where each task joins what it reads. */
trait JoinTask extends Serializable {

  /** The condition, if there is one, as a test of pairs in the running task. */
  protected def accepts(
      condition: Option[Expression],
      columns: Seq[Attribute]
  ): Option[BasePredicate] = condition.map(PairTest.predicate(_, Sides(columns, Nil)))
}
