package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BasePredicate,
  Expression,
  JoinedRow,
  Predicate
}

import io.scalegate.stream.{Side, Sides}

/** An input of a join and its attributes that the condition bounds. */
final class BoundedInput(val bounded: Seq[Expression], val output: Seq[Attribute])
    extends Serializable

/** What travels to the executors of the terms of a join: how its inputs are read, and which pairs of rows match. */
final class TaskTerms(
    val probing: Probing,
    val inputs: Sides[BoundedInput],
    val by: IndexBy,
    residual: Option[Expression]
) extends Serializable {

  /** The side that probes, and the one that is searched. */
  def probe: BoundedInput = inputs(probing.side)
  def build: BoundedInput = inputs(buildSide)
  def buildSide: Side = probing.side.opposite

  /** What of both sides' is the side's that probes, and what the other's. */
  def probeOf[A](of: Sides[A]): A = of(probing.side)
  def buildOf[A](of: Sides[A]): A = of(buildSide)

  /** Of a side's attributes. */
  def reader(input: BoundedInput): AttributeReader =
    new AttributeReader(input.bounded, by.types, input.output)

  def columns: Sides[Seq[Attribute]] = inputs.map(_.output)

  /** The residual, for one thread of the running task. */
  def accepts: Option[BasePredicate] = residual.map(PairTest.predicate(_, columns))

  /** The same as a test of a probe row and one found for it. */
  def test: PairTest =
    new PairTest(probing, probe.output.length, build.output.length, accepts)

  /** One for each of several threads, made here because to make one reads the task's own settings. */
  def residuals(threads: Int): Option[Seq[BasePredicate]] =
    residual.map(e => Seq.fill(threads)(PairTest.predicate(e, columns)))
}

/** Whether a row that probes and one that was found for it are a pair. One thread.
  *
  * @param probed
  *   the columns of the side that probes, as `searched` are those of the other
  * @param accepts
  *   what is left of the condition; all that is found is a match if there is nothing left
  */
final class PairTest(
    val probing: Probing,
    val probed: Int,
    val searched: Int,
    accepts: Option[BasePredicate]
) {
  private[this] val candidate = new JoinedRow
  private[this] val condition = accepts.orNull
  private[this] val fromLeft = probing.side eq Side.R

  /** Whether all that is found is. */
  val isPassed: Boolean = condition == null

  /** To be asked where not all that is found is. */
  def holds(probe: InternalRow, found: InternalRow): Boolean = {
    if (fromLeft) candidate(probe, found) else candidate(found, probe)
    condition.eval(candidate)
  }
}

object PairTest {

  /** A condition on pairs of rows of these columns, for one thread of the running task. */
  def predicate(condition: Expression, columns: Sides[Seq[Attribute]]): BasePredicate = {
    val made = Predicate.create(condition, columns.left ++ columns.right)
    made.initialize(TaskContext.getPartitionId())
    made
  }
}
