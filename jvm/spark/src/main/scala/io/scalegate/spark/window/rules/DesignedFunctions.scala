package io.scalegate.spark.window.rules

import io.scalegate.spark.settings.{Errors, NamedDesign}
import io.scalegate.spark.window.SlidingAggregate
import io.scalegate.spark.window.partial.PaneFunctions

/** Which aggregates the papers' designs can run: those of a value of fixed size for each window. */
private[rules] object DesignedFunctions {
  def areFixed(found: SlidingAggregate): Boolean = PaneFunctions(Nil, found.functions, Nil).fixed

  /** @throws java.lang.IllegalArgumentException
    *   that says why not, for an aggregate that a design was asked for and cannot run
    */
  def check(found: SlidingAggregate, design: NamedDesign): Unit =
    if (!areFixed(found))
      throw Errors.designCannot(
        design.toString,
        "it keeps a value of fixed size for each window, which counts, sums, averages and least or greatest numbers " +
          s"have, and not all of ${found.functions.map(_.aggregateFunction.prettyName).distinct.mkString(", ")}"
      )
}
