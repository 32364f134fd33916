package io.scalegate.spark.plan

import io.scalegate.partition.TimeSlices

/** Values of sampled rows, in order, and how many rows have each. */
final private[spark] class WeightedValues private (
    values: Array[Long],
    weights: Array[Double]
) {
  val rows: Double = weights.sum

  /** Where to cut the line so that each of so many parts has about as many rows: see [[TimeSlices.cuts]]. */
  def cuts(parts: Int): Array[Long] = TimeSlices.cuts(values, weights, parts)
}

private[spark] object WeightedValues {
  def apply(rows: Seq[SampledRow])(value: SampledRow => Long): WeightedValues = {
    val sorted = rows.map(row => (value(row), row.weight)).sortBy(_._1)
    new WeightedValues(sorted.map(_._1).toArray, sorted.map(_._2).toArray)
  }
}
