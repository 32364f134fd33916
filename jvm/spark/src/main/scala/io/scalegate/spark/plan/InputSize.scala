package io.scalegate.spark.plan

import org.apache.commons.io.FileUtils.byteCountToDisplaySize
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.adaptive.{LogicalQueryStage, ShuffleQueryStageExec}

/** The size of a join's input by Spark's statistics. */
final case class InputSize(bytes: BigInt) {
  def isKnown: Boolean = bytes < InputSize.Unknown

  def describe: String =
    if (isKnown) byteCountToDisplaySize(bytes.bigInteger) else "an unknown size"
}

object InputSize {

  /** Whether adaptive execution has brought equal keys of a join's inputs together already, so that to broadcast one of
    * them saves no exchange.
    */
  def areExchanged(inputs: LogicalPlan*): Boolean = inputs.forall {
    case stage: LogicalQueryStage =>
      stage.physicalPlan.exists(_.isInstanceOf[ShuffleQueryStageExec])
    case _ => false
  }

  def from(input: LogicalPlan): InputSize = InputSize(input.stats.sizeInBytes)

  /** Where Spark does not know a size it takes one that is as large as can be, and multiplies it on the way. */
  private val Unknown = BigInt(1L << 60)
}
