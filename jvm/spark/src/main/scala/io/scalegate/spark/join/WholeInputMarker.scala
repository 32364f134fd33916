package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{Predicate, Unevaluable}

/** A predicate that holds only of whole inputs, never of two rows alone: it says which operator is to run, and a plan that
  * would have to evaluate it is refused.
  */
trait WholeInputMarker extends Predicate with Unevaluable {

  /** The error where it stands in another place than it may. */
  def misplaced: Exception
}
