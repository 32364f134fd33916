package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.scalegate.PythonSteps

import io.scalegate.band.Band
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.state.StreamWindow
import io.scalegate.stream.Sides

/** What the tasks of a streaming join go by, in whichever way they join. It travels to the executors.
  *
  * @param bands
  *   of the bounded attributes, the event time among them
  * @param python
  *   what else a pair has to satisfy, if functions in Python say so
  */
final case class StreamTerms(
    probing: Probing,
    inputs: Sides[StreamInput],
    bands: IndexedSeq[Band],
    window: StreamWindow,
    residual: Option[Expression],
    python: Option[PythonSteps] = None
)
