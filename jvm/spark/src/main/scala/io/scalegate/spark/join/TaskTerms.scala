package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{Attribute, BasePredicate, Expression}

import io.scalegate.spark.rows.{AttributeReader, IndexBy}
import io.scalegate.stream.{Side, Sides}

/** The terms of a join as they travel to the executors: how its inputs are read, and which pairs of rows match. Nothing
  * of it changes; the readers and tests that it makes are for one thread each.
  */
final class TaskTerms(
    val probing: Probing,
    val inputs: Sides[BoundedInput],
    val by: IndexBy,
    residual: Option[Expression]
) extends Serializable {

  /** The probe side and the build side. */
  def probe: BoundedInput = inputs(probing.side)
  def build: BoundedInput = inputs(buildSide)
  def buildSide: Side = probing.side.opposite

  /** Of a value for each side, the probe side's and the build side's. */
  def probeOf[A](both: Sides[A]): A = both(probing.side)
  def buildOf[A](both: Sides[A]): A = both(buildSide)

  /** Of a side's attributes. */
  def reader(input: BoundedInput): AttributeReader =
    AttributeReader(input.bounded, input.output)

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
