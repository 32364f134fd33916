package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{Attribute, BasePredicate, Expression}

import io.scalegate.spark.rows.{AttributeReader, IndexBy}
import io.scalegate.stream.{Side, Sides}

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
  def probeOf[A](both: Sides[A]): A = both(probing.side)
  def buildOf[A](both: Sides[A]): A = both(buildSide)

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
