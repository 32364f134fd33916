package io.scalegate.bench.join

import java.nio.file.Path

import io.scalegate.baseline.handshake.{HandshakeJoin, LowLatencyHandshakeJoin}
import io.scalegate.baseline.{CellJoin, RoundRobinIndexJoin, SplitJoin}
import io.scalegate.bench.index.{BlockingMergeIndex, IndexUnderTest}
import io.scalegate.column.{RangeKernel, ScalarKernel}
import io.scalegate.index.{ConcurrentPimTree, MergePolicy, SkipListIndex}
import io.scalegate.indexjoin.{IndexJoin, ParallelIndexJoin}
import io.scalegate.join.JoinStrategy
import io.scalegate.join.ordered.ScaleJoin
import io.scalegate.matrix.MatrixJoin
import io.scalegate.partition.MatrixLayout

/** The paper's band join, |x - a| <= 10 and |y - b| <= 10 within WS milliseconds, over the column
  * files of a data set. Prints one line of JSON for each arm and number of threads: every run's
  * time after a warm-up, matches and comparisons.
  *
  * Arguments: directory, WS in milliseconds, most threads, runs, and optionally the arms (`vector`, `scalar`, `index`,
  * `scalejoin`, `indexjoin`, `parallel`, `blocking`, `skiplist`, `matrix`, and the baselines `celljoin`, `handshake`,
  * `llhj`, `splitjoin`, `roundrobin`; all but the baselines when left out).
  */
object BandJoinMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 4) {
      System.err.println(
        "arguments: DIRECTORY WS_MILLIS MAX_THREADS RUNS " +
          s"[${(Arms ++ Baselines).mkString("|")} ...]"
      )
      sys.exit(2)
    }
    val r = BandColumns.read(Path.of(args(0)), "R")
    val s = BandColumns.read(Path.of(args(0)), "S")
    val ws = args(1).toLong
    val arms = if (args.length > 4) args.drop(4).toSeq else Arms
    for (arm <- arms; threads <- 1 to (if (Sequential(arm)) 1 else args(2).toInt)) {
      val (name, run) = arm match {
        case "vector" =>
          kernel(new KernelArm(r, s, ws, threads, RangeKernel.best), RangeKernel.best)
        case "index" =>
          ("index/PIM-Tree", () => new IndexArm(r, s, ws, IndexUnderTest("PIM", _)).run())
        case "scalar" => kernel(new KernelArm(r, s, ws, threads, scalar), scalar)
        case _ =>
          val join = new JoinArm(r, s, ws, strategy(arm, threads, r.size.toDouble / s.size))
          (label(arm), () => join.run())
      }
      val begin = System.nanoTime()
      do run() while (System.nanoTime() - begin < WarmNanos)
      println(ArmResult.json(name, threads, Seq.fill(args(3).toInt)(run())))
    }
  }

  private[this] val Arms =
    Seq(
      "vector",
      "scalar",
      "index",
      "scalejoin",
      "indexjoin",
      "parallel",
      "blocking",
      "skiplist",
      "matrix"
    )
  private[this] val Baselines = Seq("celljoin", "handshake", "llhj", "splitjoin", "roundrobin")

  /** A warm-up takes so long at the least. */
  private[this] val WarmNanos = 5000000000L
  private[this] val Sequential = Set("index", "indexjoin")
  private[this] val scalar = new ScalarKernel

  /** The join that an arm measures.
    *
    * @param rates
    *   the rate of R over that of S
    */
  private[bench] def strategy(arm: String, threads: Int, rates: Double): JoinStrategy =
    arm match {
      case "scalejoin" => new ScaleJoin(threads)
      case "indexjoin" => new IndexJoin(IndexUnderTest("PIM", _))
      case "indexjoin-2d" => new IndexJoin(IndexUnderTest("PIM", _), dimensions = 2)
      case "bplus" => new IndexJoin(IndexUnderTest("B+", _))
      case "parallel" | "parallel-2d" =>
        new ParallelIndexJoin(
          threads,
          IndexUnderTest.concurrent(IndexUnderTest.ParallelMergeRatio, _),
          dimensions = if (arm == "parallel") 1 else 2
        )
      case Tuned(ratio, depth, task) =>
        val newIndex =
          (w: Int) => new ConcurrentPimTree(MergePolicy(w, 1.0 / ratio.toInt), depth.toInt)
        new ParallelIndexJoin(threads, newIndex, task.toInt)
      case "blocking" =>
        new ParallelIndexJoin(
          threads,
          w =>
            new BlockingMergeIndex(IndexUnderTest.concurrent(
              IndexUnderTest.ParallelMergeRatio,
              w
            ))
        )
      case "skiplist" => new ParallelIndexJoin(threads, _ => new SkipListIndex)
      case "matrix" => MatrixJoin.ofWorkers(threads, rates, 1)
      case Layout(rows, columns, adaptive) =>
        val layout = MatrixLayout(rows.toInt, columns.toInt)
        if (adaptive == null) new MatrixJoin(layout) else MatrixJoin.adaptive(layout)
      case "celljoin" => new CellJoin(threads)
      case "handshake" => new HandshakeJoin(threads)
      case "llhj" => new LowLatencyHandshakeJoin(threads)
      case "splitjoin" => new SplitJoin(threads)
      case "roundrobin" => new RoundRobinIndexJoin(threads, IndexUnderTest("B+", _))
      case other => throw new IllegalArgumentException(s"no arm $other")
    }

  /** How many workers an arm has that says so itself. */
  private[bench] def workers(arm: String): Option[Int] = arm match {
    case Layout(rows, columns, _) => Some(rows.toInt * columns.toInt)
    case _ => None
  }

  /** `matrix-2x1`: a layout of so many rows and columns, whatever the number of threads; `matrix-2x1-adaptive`: so
    * at first.
    */
  private[this] val Layout = "matrix-([0-9]+)x([0-9]+)(-adaptive)?".r

  /** `parallel-4/2/8`: merge ratio 1/4, insertion depth 2, tasks of 8 tuples. */
  private[this] val Tuned = "parallel-([0-9]+)/([0-9]+)/([0-9]+)".r

  private[this] def label(arm: String): String = arm match {
    case "scalejoin" => s"scalejoin/${RangeKernel.best.name}"
    case "indexjoin" => "indexjoin/PIM-Tree"
    case "parallel" => "parallel indexjoin/PIM-Tree"
    case "blocking" => "parallel indexjoin/PIM-Tree, blocking merge"
    case "skiplist" => "parallel indexjoin/ConcurrentSkipListMap"
    case _ => arm
  }

  private[this] def kernel(arm: KernelArm, kernel: RangeKernel): (String, () => ArmResult) =
    (s"kernel/${kernel.name}", () => arm.run())
}
