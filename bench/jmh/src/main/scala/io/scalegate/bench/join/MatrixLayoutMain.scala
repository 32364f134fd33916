package io.scalegate.bench.join

import java.nio.file.Path

import io.scalegate.matrix.MatrixJoin
import io.scalegate.partition.{MatrixLayout, StreamLoad}

/** What the layouts of DP-Join's matrix ask of a worker (§IV-C, Expr. 5 and 6): the comparisons of
  * one tuple in one worker, which its results wait for. Prints one line of JSON for each layout,
  * on symmetric streams and with every third tuple of R only: measured, and as the expressions say
  * with the windows that the tuples meet.
  *
  * Arguments: directory, WS in milliseconds, workers, runs.
  */
object MatrixLayoutMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 4) {
      System.err.println("arguments: DIRECTORY WS_MILLIS WORKERS RUNS")
      sys.exit(2)
    }
    val r = BandColumns.read(Path.of(args(0)), "R")
    val s = BandColumns.read(Path.of(args(0)), "S")
    val workers = args(2).toInt
    for ((streams, of) <- Seq("symmetric" -> r, "1 to 3" -> r.every(3))) {
      val load = new LayoutLoad(of, s, args(1).toLong)
      for (rows <- 1 to workers if workers % rows == 0) {
        val layout = MatrixLayout(rows, workers / rows)
        val join = new JoinArm(of, s, args(1).toLong, new MatrixJoin(layout))
        join.run() // warm-up
        val runs = Seq.fill(args(3).toInt)(join.run())
        println(load.json(s"$streams/$layout", layout, runs))
      }
    }
  }
}

/** The comparisons that the tuples of either stream need in all. */
final private class LayoutLoad(r: BandColumns, s: BandColumns, ws: Long) {
  private[this] val ofR = met(r, s, isR = true)
  private[this] val ofS = met(s, r, isR = false)

  def json(arm: String, layout: MatrixLayout, runs: Seq[ArmResult]): String = {
    val line = ArmResult.json(arm, layout.workers, runs)
    val perWorker = runs.last.compared
    val received = r.size.toDouble / layout.rows + s.size.toDouble / layout.columns
    val expected = (ofR + ofS) / layout.workers / received
    val latency = layout.expectedLatency(
      StreamLoad(r.size.toDouble, s.size.toDouble, ofS / s.size, ofR / r.size)
    )
    val fields = Seq(
      "comparisons per tuple and worker" -> perWorker.sum / layout.workers / received,
      "by Expr. 5" -> expected,
      "busiest worker" -> perWorker.max / received,
      "comparisons before a result, by Expr. 6" -> latency
    )
    fields
      .map { case (name, value) => f""""$name": $value%.1f""" }
      .mkString(line.dropRight(1) + ", ", ", ", "}")
  }

  /** Rows of `to` that the tuples of `from` meet; R's come first among equal times. */
  private[this] def met(from: BandColumns, to: BandColumns, isR: Boolean): Double = {
    var first = 0
    var last = 0
    var sum = 0.0
    var i = 0
    while (i < from.size) {
      val t = from.ts(i)
      while (last < to.size && (to.ts(last) < t || (!isR && to.ts(last) == t))) last += 1
      while (first < last && to.ts(first) < t - ws) first += 1
      sum += last - first
      i += 1
    }
    sum
  }
}
