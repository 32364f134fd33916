package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.LongType

import io.scalegate.partition.TimeSlices
import io.scalegate.stream.{Side, Sides}

/** How the inputs of a join are cut along time, as a [[TimeSliceChoice]] found it when the join was planned.
  *
  * @param attributes
  *   of both sides: the key, if there is one, and the time
  * @param copies
  *   of the right rows
  * @param keyed
  *   whether there is a key
  */
final private[join] case class SlicedInputs(
    slices: TimeSlices,
    attributes: Sides[Seq[Expression]],
    copies: SliceCopies,
    keyed: Boolean
) {

  /** An input with the cells of its rows, in a column behind its own.
    *
    * @param whole
    *   whether rows with a NULL among the attributes are kept
    */
  def over(side: Side, whole: Boolean, input: SparkPlan): TimeSliceExec =
    TimeSliceExec(
      attributes(side),
      slices,
      whole,
      Option.when(side eq Side.S)(copies),
      AttributeReference("cell", LongType, nullable = false)(),
      input
    )

  /** For EXPLAIN. */
  def describe: String =
    if (!keyed) s"${slices.slices(0)} slices of time, for there is no key"
    else s"slices of time of ${slices.size} hot ${if (slices.size == 1) "key" else "keys"}"
}
