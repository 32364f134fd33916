package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.spark.join.stream.state.StreamWindow
import io.scalegate.stream.Side

/** The way in which the tasks of a streaming join find its rows, where that is not an index over both windows. Made when a
  * batch is planned; driver only, but for the [[task]] that it makes.
  */
trait StreamMethod {

  /** What it evaluates beside what every streaming join does. */
  def expressions: Seq[Expression] = Nil

  /** The same with other expressions in the places of its own. */
  def withExpressions(changed: Iterator[Expression]): StreamMethod = this

  /** Over a side's columns: the order of its rows of one time, before that of their columns. */
  def ties(side: Side): Seq[Expression] = Nil

  /** The least event time, in microseconds, that a joined row may have once the watermark is there. */
  def leastOutput(window: StreamWindow, watermark: Long): Long = window.leastOutput(watermark)

  /** The columns of what a left row is joined with, if these are not the right input's. */
  def found: Option[Seq[Attribute]] = None

  def task(terms: StreamTerms): StreamTask
}
