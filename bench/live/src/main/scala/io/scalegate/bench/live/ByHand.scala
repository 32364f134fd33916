package io.scalegate.bench.live

import java.time.Duration

import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.{DataFrame, Encoders}

/** An event, and which stream it is of. */
final case class SidedEvent(isRight: Boolean, ts: Long, k: Int, x: Int, due: Long)

/** A result of the live bench. */
final case class LivePair(due: Long, x: Int, other: Int)

/** The join by equal keys as one writes it with Spark's `transformWithState`: a list of each side by key, in the state store,
  * of which Spark forgets what has been there for twice the window.
  */
object ByHand {
  def join(left: DataFrame, right: DataFrame, query: LiveQuery): DataFrame = {
    import left.sparkSession.implicits._
    def of(events: DataFrame, isRight: Boolean) =
      events.select(lit(isRight).as("isRight"), col("ts"), col("k"), col("x"), col("due"))
    of(left, isRight = false).union(of(right, isRight = true)).as[SidedEvent]
      .groupByKey(_.k)
      .transformWithState(
        new ByHand(query.windowMillis),
        TimeMode.ProcessingTime(),
        OutputMode.Update()
      )
      .toDF()
  }
}

final private class ByHand(windowMillis: Long)
    extends StatefulProcessor[Int, SidedEvent, LivePair] {
  @transient private[this] var left: ListState[SidedEvent] = _
  @transient private[this] var right: ListState[SidedEvent] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = {
    val ttl = TTLConfig(Duration.ofMillis(2 * windowMillis))
    def list(name: String) =
      getHandle.getListState(name, Encoders.product[SidedEvent], ttl)
    left = list("left")
    right = list("right")
  }

  override def handleInputRows(
      key: Int,
      rows: Iterator[SidedEvent],
      timers: TimerValues
  ): Iterator[LivePair] = rows.flatMap { event =>
    val (own, others) = if (event.isRight) (right, left) else (left, right)
    own.appendValue(event)
    others.get().filter(o => math.abs(o.ts - event.ts) <= windowMillis)
      .map(o => LivePair(math.max(o.due, event.due), event.x, o.x))
  }
}
