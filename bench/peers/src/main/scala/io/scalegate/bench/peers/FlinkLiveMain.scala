package io.scalegate.bench.peers

import java.lang.{Float => JFloat, Long => JLong}
import java.nio.file.Files

import scala.annotation.nowarn

import org.apache.flink.api.common.functions.FlatMapFunction
import org.apache.flink.api.common.typeinfo.{TypeInformation, Types}
import org.apache.flink.api.java.tuple.Tuple5
import org.apache.flink.streaming.api.datastream.DataStream
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction
import org.apache.flink.streaming.api.functions.sink.SinkFunction
import org.apache.flink.streaming.api.functions.source.SourceFunction
import org.apache.flink.streaming.api.watermark.Watermark
import org.apache.flink.streaming.api.windowing.time.Time
import org.apache.flink.util.Collector

import io.scalegate.bench.live.{LiveEvent, LiveQuery, LiveTopics, Measured, PacedEvents}
import io.scalegate.bench.peers.FlinkLive._

/** The latency of Flink's interval join of the live bench's streams; a band join on bins of the first attribute, of which
  * an event of one stream is copied to three. Buffers between tasks wait a millisecond.
  *
  * Arguments: a [[LiveQuery]], the events of both streams a second (several, with commas), seconds to warm up and to
  * measure, and the seconds between two checkpoints; the address of a broker of Kafka, if events and results are to go over
  * it.
  */
@nowarn("cat=deprecation")
object FlinkLiveMain {
  @volatile private[peers] var isOn = true

  def main(args: Array[String]): Unit = {
    val (name, rates, warm, seconds, commit) = (args(0), args(1), args(2), args(3), args(4))
    val broker = args.lift(5)
    for (rate <- rates.split(',').map(_.toInt)) {
      val query = LiveQuery(name, rate)
      val topics = broker.map(new LiveTopics(_))
      val folder = Files.createTempDirectory("live").toString
      val environment = FlinkMain.local(2, Array((commit.toLong * 1000).toString, folder))
      // Spark's exchange waits as long for a buffer to fill; 100 is Flink's default.
      environment.setBufferTimeout(1)
      def events(side: Int): DataStream[Live] = topics.fold[DataStream[Live]](
        environment.addSource(new PacedSource(side, rate / 2, query.before), s"s$side", row)
      )(t => FlinkTopics.events(environment, broker.get, t.streams(side)))
      def stream(side: Int) =
        events(side).flatMap(new Placed(query, copied = side == 0)).returns(row)
          .keyBy(new KeyOf[Live](_.f1), Types.INT)
      val due = stream(0).intervalJoin(stream(1))
        .between(Time.milliseconds(-query.windowMillis), Time.milliseconds(query.windowMillis))
        .process(new LaterOf(query), Types.LONG)
      topics.fold[Unit] { val _ = due.addSink(new Timed) }(t =>
        FlinkTopics.write(due, broker.get, t.results)
      )
      isOn = true
      Measured.reset()
      val job = environment.executeAsync()
      for (t <- topics; i <- t.streams.indices)
        new PacedEvents(i, rate / 2, query.before).start(() => isOn)(t.add(i))
      Measured.measure(
        s"flink, checkpoint each $commit s",
        query,
        topics.nonEmpty,
        rate,
        warm.toInt,
        seconds.toInt,
        () => !job.getJobStatus.get.isGloballyTerminalState
      )
      isOn = false
      if (topics.isEmpty) job.getJobExecutionResult.get
      else job.cancel().get
      topics.foreach(_.close())
    }
    sys.exit() // Flink leaves threads behind.
  }
}

private object FlinkLive {

  /** When it was due, cell or key, both attributes, and its event time. */
  type Live = Tuple5[JLong, Integer, Integer, JFloat, JLong]

  val row: TypeInformation[Live] =
    Types.TUPLE(Types.LONG, Types.INT, Types.INT, Types.FLOAT, Types.LONG)
}

@nowarn("cat=deprecation")
final private class PacedSource(side: Int, perSecond: Int, before: Long)
    extends SourceFunction[Live] {
  @volatile private[this] var running = true

  override def run(context: SourceFunction.SourceContext[Live]): Unit = {
    var tenths = -1L
    new PacedEvents(side, perSecond, before).run(() => running && FlinkLiveMain.isOn) {
      event: LiveEvent =>
        context.getCheckpointLock.synchronized {
          context.collectWithTimestamp(
            Tuple5.of(event.due, event.k, event.x, event.y, event.ts),
            event.ts
          )
          if (event.ts / 100 != tenths) {
            tenths = event.ts / 100
            context.emitWatermark(new Watermark(event.ts - 1000))
          }
        }
    }
  }

  override def cancel(): Unit = running = false
}

/** Each event with its key, or in its bin, and where it is copied in those beside it. */
final private class Placed(query: LiveQuery, copied: Boolean)
    extends FlatMapFunction[Live, Live] {
  override def flatMap(event: Live, out: Collector[Live]): Unit =
    if (query.isByKey) out.collect(event)
    else {
      val bin = event.f2 / (query.band + 1)
      val bins = if (copied) bin - 1 to bin + 1 else bin to bin
      bins.foreach(b => out.collect(Tuple5.of(event.f0, b, event.f2, event.f3, event.f4)))
    }
}

final private class LaterOf(query: LiveQuery) extends ProcessJoinFunction[Live, Live, JLong] {
  override def processElement(
      l: Live,
      r: Live,
      context: ProcessJoinFunction[Live, Live, JLong]#Context,
      out: Collector[JLong]
  ): Unit =
    if (
      query.isByKey || math.abs(l.f2 - r.f2) <= query.band &&
      math.abs(l.f3 - r.f3) <= query.band
    ) out.collect(math.max(l.f0, r.f0))
}

@nowarn("cat=deprecation")
final private class Timed extends SinkFunction[JLong] {
  override def invoke(due: JLong, context: SinkFunction.Context): Unit = Measured.result(due)
}
