package io.scalegate.spark.join

import java.util.concurrent.ConcurrentLinkedQueue

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

object JoinTask {

  /** Hands these out, one to each thread that asks. */
  def oneForEach[A](made: Seq[A]): () => A = {
    val left = new ConcurrentLinkedQueue[A]()
    made.foreach(left.add)
    () => left.remove()
  }
}
