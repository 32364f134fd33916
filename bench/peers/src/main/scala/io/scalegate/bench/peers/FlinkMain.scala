package io.scalegate.bench.peers

import io.scalegate.bench.peers.FlinkRows.Banded
import io.scalegate.bench.peers.FlinkRows.Binned
import io.scalegate.bench.peers.FlinkRows.Summed
import io.scalegate.bench.peers.FlinkRows.Valued

import java.lang.{Float => JFloat, Long => JLong}
import java.nio.file.{Files, Path}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.concurrent.atomic.LongAdder

import scala.annotation.nowarn

import org.apache.flink.api.common.functions.{AggregateFunction, FlatMapFunction, MapFunction}
import org.apache.flink.api.common.typeinfo.{TypeInformation, Types}
import org.apache.flink.api.java.functions.KeySelector
import org.apache.flink.api.java.tuple.{Tuple2, Tuple3, Tuple4}
import org.apache.flink.configuration.{Configuration, MemorySize, TaskManagerOptions}
import org.apache.flink.streaming.api.datastream.DataStream
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction
import org.apache.flink.streaming.api.functions.sink.SinkFunction
import org.apache.flink.streaming.api.functions.source.SourceFunction
import org.apache.flink.streaming.api.watermark.Watermark
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows
import org.apache.flink.streaming.api.windowing.time.Time
import org.apache.flink.util.Collector

/** Apache Flink on the sets of the bench, in a cluster within this JVM: the streams' columns are read into memory, and
  * each run feeds them as fast as they are taken, in the order of their times, with a watermark for each tenth of a
  * second of theirs. State lies on the heap, and a result is counted and dropped.
  *
  * A keyed set is its interval join; a band set too, on bins of the first band's attribute, of which a row of the left
  * stream is copied to three, since a join needs a key; a set of windows is its sliding windows, with sum and maximum.
  *
  * Arguments: kind (`keyed`, `band` or `window`), folder of the set, width of the window and advance in milliseconds,
  * streams, parallelism, runs, of which as many are timed as are run before to warm up; and for checkpoints, the
  * milliseconds between two and their folder.
  */
@nowarn("cat=deprecation")
object FlinkMain {

  /** Of both bands. */
  private val Band = 10

  /** A sink's, which Flink copies: as many as there are tasks. */
  private[peers] val results = new LongAdder

  def main(args: Array[String]): Unit = {
    val folder = Path.of(args(1))
    val (window, slide, streams) = (args(2).toLong, args(3).toLong, args(4).toInt)
    val (parallelism, runs) = (args(5).toInt, args(6).toInt)
    val seconds = Seq.fill(2 * runs) {
      val environment = local(parallelism, args.drop(7))
      results.reset()
      args(0) match {
        case "keyed" => keyed(environment, folder, window)
        case "band" => band(environment, folder, window)
        case "window" => windows(environment, folder, streams, window, slide)
      }
      val started = System.nanoTime
      environment.execute()
      (System.nanoTime - started) / 1e9
    }.drop(runs)
    println(
      s"""{"arm": "${if (args.length > 7) "flink-checkpoints"
        else "flink"}", "threads": $parallelism, "seconds": [${seconds.mkString(", ")}], """ +
        s""""matches": ${results.sum}}"""
    )
    sys.exit() // Flink leaves threads behind.
  }

  private[peers] def local(parallelism: Int, checkpoints: Array[String]) = {
    val network = MemorySize.ofMebiBytes(128)
    val conf = new Configuration
    conf.set(TaskManagerOptions.NETWORK_MEMORY_MIN, network)
    conf.set(TaskManagerOptions.NETWORK_MEMORY_MAX, network)
    val environment = StreamExecutionEnvironment.createLocalEnvironment(parallelism, conf)
    environment.getConfig.enableObjectReuse()
    if (checkpoints.nonEmpty) {
      environment.enableCheckpointing(checkpoints.head.toLong)
      environment.getCheckpointConfig.setCheckpointStorage(Path.of(checkpoints(1)).toUri)
    }
    environment
  }

  private def keyed(environment: StreamExecutionEnvironment, folder: Path, window: Long) = {
    def stream(name: String) =
      environment.addSource(new FloatRows(folder, name), name, FlinkRows.banded)
        .keyBy(new KeyOf[Banded](_.f1), Types.INT)
    stream("R").intervalJoin(stream("S"))
      .between(Time.milliseconds(-window), Time.milliseconds(window))
      .process(new EveryPair, Types.LONG).addSink(new CountedWindow[JLong])
    ()
  }

  private def band(environment: StreamExecutionEnvironment, folder: Path, window: Long) = {
    def stream(name: String) =
      environment.addSource(new FloatRows(folder, name), name, FlinkRows.banded)
    val copied = stream("R").flatMap(new NeighbouringBins(Band + 1)).returns(FlinkRows.binned)
      .keyBy(new KeyOf[Binned](_.f3), Types.INT)
    val once = stream("S").map(new OwnBin(Band + 1)).returns(FlinkRows.binned)
      .keyBy(new KeyOf[Binned](_.f3), Types.INT)
    copied.intervalJoin(once).between(Time.milliseconds(-window), Time.milliseconds(window))
      .process(new PairsInBand(Band), Types.LONG).addSink(new CountedWindow[JLong])
    ()
  }

  private def windows(
      environment: StreamExecutionEnvironment,
      folder: Path,
      streams: Int,
      window: Long,
      slide: Long
  ) = {
    val all = (0 until streams).map { i =>
      environment.addSource(new LongRows(folder, s"s$i"), s"s$i", FlinkRows.valued)
    }.reduce[DataStream[Valued]](_.union(_))
    all.keyBy(new KeyOf[Valued](_.f1), Types.INT)
      .window(
        SlidingEventTimeWindows.of(Time.milliseconds(window), Time.milliseconds(slide))
      )
      .aggregate(new SumAndMax, FlinkRows.summed, FlinkRows.summed)
      .addSink(new CountedWindow[Summed])
    ()
  }
}

/** What the streams' tuples are to Flink. */
private object FlinkRows {
  type Banded = Tuple3[JLong, Integer, JFloat]
  type Binned = Tuple4[JLong, Integer, JFloat, Integer]
  type Valued = Tuple3[JLong, Integer, JLong]
  type Summed = Tuple2[JLong, JLong]

  val banded: TypeInformation[Banded] = Types.TUPLE(Types.LONG, Types.INT, Types.FLOAT)
  val binned: TypeInformation[Binned] = Types.TUPLE(Types.LONG, Types.INT, Types.FLOAT, Types.INT)
  val valued: TypeInformation[Valued] = Types.TUPLE(Types.LONG, Types.INT, Types.LONG)
  val summed: TypeInformation[Summed] = Types.TUPLE(Types.LONG, Types.LONG)
}

/** A stream from the files of its columns: time and key, and another column in the subclass. */
@nowarn("cat=deprecation")
abstract private class ColumnRows[T](folder: String, stream: String) extends SourceFunction[T] {
  @volatile private[this] var running = true

  protected def column(name: String): ByteBuffer =
    ByteBuffer.wrap(Files.readAllBytes(Path.of(folder, s"$stream.$name.bin")))
      .order(ByteOrder.LITTLE_ENDIAN)

  /** How a row is made of its number. */
  protected def rows(): (JLong, Int, Int) => T

  final override def run(context: SourceFunction.SourceContext[T]): Unit = {
    val times = column("ts").asLongBuffer
    val keys = column("i").asIntBuffer
    val row = rows()
    var (i, tenths) = (0, -1L)
    while (i < times.limit && running) {
      val ts = times.get(i)
      context.collectWithTimestamp(row(ts, keys.get(i), i), ts)
      if (ts / 100 != tenths) {
        tenths = ts / 100
        context.emitWatermark(new Watermark(ts - 1))
      }
      i += 1
    }
    context.emitWatermark(Watermark.MAX_WATERMARK)
  }

  final override def cancel(): Unit = running = false
}

final private class FloatRows(folder: Path, stream: String)
    extends ColumnRows[Banded](folder.toString, stream) {
  override protected def rows(): (JLong, Int, Int) => Banded = {
    val values = column("f").asFloatBuffer
    (ts, key, i) => Tuple3.of(ts, key, values.get(i))
  }
}

final private class LongRows(folder: Path, stream: String)
    extends ColumnRows[Valued](folder.toString, stream) {
  override protected def rows(): (JLong, Int, Int) => Valued = {
    val values = column("v").asLongBuffer
    (ts, key, i) => Tuple3.of(ts, key, values.get(i))
  }
}

final private class KeyOf[T](of: T => Integer) extends KeySelector[T, Integer] {
  override def getKey(row: T): Integer = of(row)
}

final private class EveryPair extends ProcessJoinFunction[Banded, Banded, JLong] {
  override def processElement(
      r: Banded,
      s: Banded,
      context: ProcessJoinFunction[Banded, Banded, JLong]#Context,
      out: Collector[JLong]
  ): Unit = out.collect(r.f0)
}

final private class PairsInBand(band: Int) extends ProcessJoinFunction[Binned, Binned, JLong] {
  override def processElement(
      r: Binned,
      s: Binned,
      context: ProcessJoinFunction[Binned, Binned, JLong]#Context,
      out: Collector[JLong]
  ): Unit =
    if (math.abs(r.f1 - s.f1) <= band && math.abs(r.f2 - s.f2) <= band.toFloat) out.collect(r.f0)
}

/** A row once in its bin and once in each beside it. */
final private class NeighbouringBins(width: Int) extends FlatMapFunction[Banded, Binned] {
  override def flatMap(row: Banded, out: Collector[Binned]): Unit = {
    val bin = row.f1 / width
    (bin - 1 to bin + 1).foreach(b => out.collect(Tuple4.of(row.f0, row.f1, row.f2, b)))
  }
}

final private class OwnBin(width: Int) extends MapFunction[Banded, Binned] {
  override def map(row: Banded): Binned = Tuple4.of(row.f0, row.f1, row.f2, row.f1 / width)
}

final private class SumAndMax extends AggregateFunction[Valued, Summed, Summed] {
  override def createAccumulator(): Summed = Tuple2.of(0L, Long.MinValue)
  override def add(row: Valued, to: Summed): Summed =
    Tuple2.of(to.f0 + row.f2, math.max(to.f1, row.f2))
  override def getResult(of: Summed): Summed = of
  override def merge(a: Summed, b: Summed): Summed =
    Tuple2.of(a.f0 + b.f0, math.max(a.f1, b.f1))
}

@nowarn("cat=deprecation")
final private class CountedWindow[T] extends SinkFunction[T] {
  override def invoke(result: T, context: SinkFunction.Context): Unit =
    FlinkMain.results.increment()
}
