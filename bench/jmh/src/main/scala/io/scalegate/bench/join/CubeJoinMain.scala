package io.scalegate.bench.join

import java.util.SplittableRandom

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.matrix.cube.{
  CubeBand,
  CubeJoin,
  CubeLayout,
  CubePair,
  CubeSpec,
  CubeStream,
  RunningCubeJoin
}
import io.scalegate.stream.{IdleStrategy, Side, StreamTuple, TimeWindow}

/** The join of three streams by layouts of a cube of workers. Streams take turns, one tuple for
  * each unit of time; attributes are uniform below 10,000 and each pair must be within 100. Prints
  * one line of JSON for each layout.
  *
  * Arguments: tuples of all streams, window in units of time, runs, and the layouts, as `1x1x2`.
  */
object CubeJoinMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 4) {
      System.err.println("arguments: TUPLES WINDOW RUNS LAYOUT ...")
      sys.exit(2)
    }
    val workload = new CubeWorkload(args(0).toInt, args(1).toLong)
    val layouts = args.drop(3).toSeq.map(layout)
    layouts.foreach(workload.run) // warm-up
    val rounds = Seq.tabulate(args(2).toInt)(turn => Rotation(layouts, turn)(workload.run))
    require(rounds.flatten.map(_.matches).distinct.size == 1, "the layouts differ in matches")
    for ((layout, results) <- layouts.zip(rounds.transpose))
      println(ArmResult.json(s"cube/$layout", layout.workers, results))
  }

  private[this] def layout(text: String): CubeLayout = text.split('x') match {
    case Array(r, s, t) => CubeLayout(r.toInt, s.toInt, t.toInt)
    case _ => throw new IllegalArgumentException(s"a layout is written as 1x1x2, not $text")
  }
}

/** The input, as a column. One thread feeds it and takes the results. */
final private class CubeWorkload(tuples: Int, window: Long) {
  private[this] val near =
    CubePair(
      TimeWindow(-window, window),
      Vector(CubeBand(0, 0, IntegralBand(AttributeType.Int32, -100, 100)))
    )
  private[this] val spec = new CubeSpec(near, near, near)
  private[this] val random = new SplittableRandom(1)
  private[this] val value = Array.fill(tuples)(random.nextLong(10000))

  def run(layout: CubeLayout): ArmResult = {
    val start = System.nanoTime()
    val join = new CubeJoin(layout).open(spec, CubeStream.all)
    try {
      val matches = feed(join)
      val seconds = (System.nanoTime() - start) / 1e9
      val compared = join.metrics.workers.map(_.comparisons).toVector
      ArmResult(seconds, matches, compared, tuples = Some(tuples.toLong))
    } finally join.close()
  }

  private[this] def feed(join: RunningCubeJoin): Long = {
    val idle = new IdleStrategy.Backoff()
    var taken = 0L
    def take(): Unit =
      if (join.poll() == null) idle.idle()
      else {
        taken += 1
        idle.reset()
      }
    var i = 0
    while (i < tuples) {
      val source = i % 3
      val t = new StreamTuple(i.toLong, source, i.toLong, Side.R, Array(value(i)), value)
      while (!join.sources(source).tryAdd(t)) take()
      i += 1
    }
    join.sources.foreach(_.close())
    while (!join.isDone) take()
    taken
  }
}
