package io.scalegate.spark.join.stream.perkey

import scala.collection.immutable.HashMap
import scala.reflect.{ClassTag, classTag}

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.spark.join.stream.state.ChunkStore
import io.scalegate.spark.join.stream.task.StreamTerms
import io.scalegate.stream.{Side, Sides}

/** A join of two streams in which each left row has one answer, made of the right rows of its key, as it travels to the
  * executors. The answer is given when the watermark says that all right rows have come that it may be made of.
  *
  * @param terms
  *   whose condition a right row must satisfy beside the keys, to be of the answer
  * @param keys
  *   whose bytes are the same where they are equal; none if all rows have one key
  */
abstract class AnswerStream(
    terms: StreamTerms,
    keys: Sides[Seq[Expression]],
    reach: AnswerReach
) extends KeyedStream(terms, keys) {
  final type State = AnswerState

  final protected def stateClass: ClassTag[AnswerState] = classTag[AnswerState]

  final protected def turn(side: Side, watermark: Long): Long =
    if (side eq Side.R) reach.decided(watermark) else watermark

  /** A left row is given with its answer. */
  final override protected def holdsJoined(side: Side): Boolean = side eq Side.S

  final override protected def goesByTime(side: Side): Boolean =
    (side eq Side.R) || reach.isByTime

  final def empty: AnswerState = new AnswerState(
    HashMap.empty,
    SideOfKeys.Empty,
    SideOfKeys.Empty,
    Long.MinValue,
    Long.MinValue,
    eventTimes
  )

  final def restored(store: ChunkStore): AnswerState = {
    val (sides, watermark) = restoredSides(store)
    new AnswerState(
      HashMap.from(sides.right.keys.iterator.map(key => key -> sides.right.rows(key))),
      sides.left.others,
      sides.right.others,
      watermark,
      Long.MinValue,
      eventTimes
    )
  }
}
