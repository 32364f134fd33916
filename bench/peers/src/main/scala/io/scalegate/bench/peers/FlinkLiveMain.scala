package io.scalegate.bench.peers

import java.lang.{Float => JFloat, Long => JLong}
import java.nio.file.Files

import scala.annotation.nowarn

import org.apache.flink.api.common.functions.FlatMapFunction
import org.apache.flink.api.common.typeinfo.{TypeInformation, Types}
import org.apache.flink.api.java.tuple.Tuple5
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction
import org.apache.flink.streaming.api.functions.sink.SinkFunction
import org.apache.flink.streaming.api.functions.source.SourceFunction
import org.apache.flink.streaming.api.watermark.Watermark
import org.apache.flink.streaming.api.windowing.time.Time
import org.apache.flink.util.Collector

import io.scalegate.bench.live.{LiveEvent, Measured, PacedEvents}
import io.scalegate.bench.peers.FlinkLive._

/** The latency of Flink's interval join of the live bench's streams; a band join on bins of the first attribute, of which
  * an event of one stream is copied to three. Buffers between tasks wait a millisecond.
  *
  * Arguments: `band` or `keyed`, the events of both streams a second (several, with commas), seconds to warm up and to
  * measure, and the seconds between two checkpoints.
  */
@nowarn("cat=deprecation")
object FlinkLiveMain {
  @volatile private[peers] var isOn = true

  def main(args: Array[String]): Unit = {
    val (query, rates, warm, seconds, commit) = (args(0), args(1), args(2), args(3), args(4))
    for (rate <- rates.split(',').map(_.toInt)) {
      val folder = Files.createTempDirectory("live").toString
      val environment = FlinkMain.local(2, Array((commit.toLong * 1000).toString, folder))
      // Spark's exchange waits as long for a buffer to fill; 100 is Flink's default.
      environment.setBufferTimeout(1)
      val band = query == "band"
      def stream(side: Int) =
        environment.addSource(new PacedSource(side, rate / 2), s"s$side", row)
          .flatMap(new Placed(band, copied = side == 0)).returns(row)
          .keyBy(new KeyOf[Live](_.f1), Types.INT)
      stream(0).intervalJoin(stream(1))
        .between(
          Time.seconds(-PacedEvents.WindowSeconds.toLong),
          Time.seconds(PacedEvents.WindowSeconds.toLong)
        )
        .process(new LaterOf(band), Types.LONG).addSink(new Timed)
      isOn = true
      Measured.reset()
      val job = environment.executeAsync()
      Measured.measure(
        s"flink, checkpoint each $commit s",
        query,
        rate,
        warm.toInt,
        seconds.toInt,
        () => !job.getJobStatus.get.isGloballyTerminalState
      )
      isOn = false
      job.getJobExecutionResult.get
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
final private class PacedSource(side: Int, perSecond: Int) extends SourceFunction[Live] {
  @volatile private[this] var running = true

  override def run(context: SourceFunction.SourceContext[Live]): Unit = {
    var tenths = -1L
    new PacedEvents(side, perSecond).run(() => running && FlinkLiveMain.isOn) {
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
final private class Placed(band: Boolean, copied: Boolean) extends FlatMapFunction[Live, Live] {
  override def flatMap(event: Live, out: Collector[Live]): Unit =
    if (!band) out.collect(event)
    else {
      val bin = event.f2 / (PacedEvents.Band + 1)
      val bins = if (copied) bin - 1 to bin + 1 else bin to bin
      bins.foreach(b => out.collect(Tuple5.of(event.f0, b, event.f2, event.f3, event.f4)))
    }
}

final private class LaterOf(band: Boolean) extends ProcessJoinFunction[Live, Live, JLong] {
  override def processElement(
      l: Live,
      r: Live,
      context: ProcessJoinFunction[Live, Live, JLong]#Context,
      out: Collector[JLong]
  ): Unit =
    if (
      !band || math.abs(l.f2 - r.f2) <= PacedEvents.Band &&
      math.abs(l.f3 - r.f3) <= PacedEvents.Band
    ) out.collect(math.max(l.f0, r.f0))
}

@nowarn("cat=deprecation")
final private class Timed extends SinkFunction[JLong] {
  override def invoke(due: JLong, context: SinkFunction.Context): Unit = Measured.result(due)
}
