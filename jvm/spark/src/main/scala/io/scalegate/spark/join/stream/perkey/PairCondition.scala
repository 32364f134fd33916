package io.scalegate.spark.join.stream.perkey

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BasePredicate
import org.apache.spark.sql.scalegate.PythonSteps

/** What else the pairs of a batch have to satisfy, which are tested in one order. One thread, the task's.
  *
  * Functions in Python are asked for many pairs at a time, so all pairs that may be tested are known before, and those
  * that are not tested after all are told. Spark takes the pairs on the thread that asks for the answers, some batches
  * ahead, and holds the columns that the functions read, which it spills.
  *
  * @param evaluated
  *   what the JVM evaluates of the condition
  * @param functions
  *   what functions in Python say of those that satisfy it
  * @param pairs
  *   all that may be tested, in the order in which they are; they may be the same object each time
  */
final private[perkey] class PairCondition(
    evaluated: Option[BasePredicate],
    functions: Option[PythonSteps],
    pairs: Iterator[InternalRow]
) {
  private[this] val predicate = evaluated.orNull
  private[this] var passed = 0L // pairs whose answers were not taken, and are before the next one

  /** Whether functions in Python decide, so that pairs that are not tested have to be told. */
  val asksPython: Boolean = functions.nonEmpty

  /** No worker is started where there are no pairs. */
  private[this] lazy val answers: Iterator[Boolean] = {
    val asked = pairs.filter(isCandidate)
    if (asked.hasNext) functions.get.satisfied(asked, TaskContext.getPartitionId())
    else Iterator.empty
  }

  def holds(pair: InternalRow): Boolean = isCandidate(pair) && (!asksPython || answer())

  /** This pair is not tested. */
  def pass(pair: InternalRow): Unit = if (asksPython && isCandidate(pair)) passed += 1

  private[this] def isCandidate(pair: InternalRow) = predicate == null || predicate.eval(pair)

  private[this] def answer(): Boolean = {
    while (passed > 0) {
      answers.next()
      passed -= 1
    }
    answers.next()
  }
}
