package io.scalegate.spark

import java.sql.Timestamp

import scala.util.Random
import scala.util.control.NonFatal

/** Streaming queries on a machine that dies at any operation on the files of their checkpoints, and is started again:
  * nothing is lost, nothing given twice to a sink that writes a batch once, and a batch that runs again has the rows that it
  * had.
  *
  * With `SCALEGATE_SOAK` it goes through all operations of all queries and prints the table of the docs; otherwise through a
  * sample of two queries', by `SCALEGATE_SEED`. `SCALEGATE_CRASH_SHARE` says which part of all, by tenths.
  */
final class StreamingCrashSuite extends StreamingJoinSuite {
  override protected def fileManager: String = classOf[FaultyFiles].getName

  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.sql.streaming.stateStore.minDeltasForSnapshot" -> "2",
    "spark.sql.streaming.stateStore.maintenanceInterval" -> "300ms"
  )

  private val seed = seeded(System.nanoTime)
  private val share = sys.env.get("SCALEGATE_CRASH_SHARE").fold(1.0)(_.toDouble / 10)
  private val random = new Random(seed)

  /** @param part
    *   of its points that is tried where all are
    */
  private case class Query(
      name: String,
      text: String,
      provider: String = "HDFSBacked",
      format: Int = 1,
      mode: String = "append",
      hot: Boolean = false,
      part: Double = 1
  )

  private def join(how: String, where: String) = {
    val columns =
      if (how.endsWith("SEMI") || how.endsWith("ANTI")) "l.id" else "l.id AS a, r.id AS b"
    s"SELECT $columns FROM l $how JOIN r ON $where AND " +
      "r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND"
  }

  private val windows = "SELECT w.start AS a, k, count(*) AS n, sum(id) AS s FROM " +
    "(SELECT *, window(ts, '4 seconds', '1 second') AS w FROM l) GROUP BY w, k"
  private val objects = windows.replace("count(*)", "collect_set(x) AS xs, count(*)")

  private val queries = Seq(
    Query("left join by a key", join("LEFT", "l.k = r.k")),
    Query("windows in blocks", windows, "RocksDB"),
    Query("full join by a key", join("FULL", "l.k = r.k"), "RocksDB"),
    Query("inner join by a band", join("INNER", "abs(l.x - r.x) <= 1")),
    Query("semi join by a key", join("LEFT SEMI", "l.k = r.k"), "RocksDB", 2),
    Query("anti join in one task", join("LEFT ANTI", "l.x + r.x = 7")),
    Query("right join by a band", join("RIGHT", "abs(l.x - r.x) <= 1"), "RocksDB"),
    Query("windows one by one, updated", objects, mode = "update"),
    Query("windows in blocks, complete", windows, mode = "complete"),
    Query(
      "left join of the last rows",
      "SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON within_rows(l.ts, r.ts, 3) AND l.x < r.x"
    ),
    Query("inner join with a hot key", join("INNER", "l.k = r.k"), hot = true, part = 0.3)
  )

  private val batches: Seq[(Seq[Event], Seq[Event])] = {
    val rows = new Random(3)
    def some(from: Int, first: Long) = Seq.tabulate(8) { i =>
      val late = if (from > 12000 && i == 0) 9000 else 0
      val at = new Timestamp(from + rows.nextInt(2000).toLong - late)
      Event(at, Some(rows.nextInt(4)), Some(rows.nextInt(6)), first + i)
    }
    Seq.tabulate(3)(b =>
      (some(10000 + 2000 * b, 100L * b), some(10000 + 2000 * b, 100L * b + 50))
    )
  }

  /** One key of which the driver learns that it is hot. */
  private val hotBatches: Seq[(Seq[Event], Seq[Event])] = {
    def some(batch: Int, first: Long) = {
      val (rows, count) = (new Random(first), if (batch < 2) 2300 else 100)
      Seq.tabulate(count) { i =>
        val key = if (rows.nextInt(3) == 0) 7 else 100 + rows.nextInt(900)
        Event((batch + 1) * 200000L + i * 80, key, i % 5, first + i)
      }
    }
    Seq.tabulate(4)(b => (some(b, 100000L * b), some(b, 100000L * b + 50000)))
  }

  private def ends(from: Long) = Seq.tabulate(6)(i => Event(from + i, -1, -100, -1L))
  private val end =
    Seq(1000000L, 2000000L, 3000000L).map(time => (ends(time), ends(time)))

  private def withQuery[T](of: Query)(body: => T): T = withSettings(
    "spark.sql.streaming.stateStore.providerClass" ->
      s"org.apache.spark.sql.execution.streaming.state.${of.provider}StateStoreProvider",
    "spark.sql.streaming.stateStore.checkpointFormatVersion" -> of.format.toString
  )(body)

  /** What came of a query, and whether the machine died. */
  private case class Outcome(
      rows: Seq[String],
      again: Seq[Long],
      points: Seq[CrashPoint],
      died: Int
  )

  private def outcome(of: Query, crash: Option[CrashPoint]): Outcome = withQuery(of) {
    val directory = newDirectory()
    CrashPoints.begin(directory.toString, crash)
    withSettings(ScaleGateConf.LateRows -> directory.resolve("late").toString) {
      val run = new Running(of.text, "2 seconds", of.mode, checkpoint = directory)
      var deaths = 0
      def survive(action: => Unit): Unit =
        try action
        catch {
          case NonFatal(e) =>
            if (!CrashPoints.isDead) throw e
            deaths += 1
            run.stop()
            CrashPoints.revive()
            run.start()
            run.add(Nil, Nil)
            ()
        }
      try {
        survive { run.start(); () }
        for ((l, r) <- (if (of.hot) hotBatches else batches) ++ end)
          survive { run.add(l, r); () }
        val points = CrashPoints.all
        run.stop()
        val rows = if (of.mode == "complete") run.last else run.all
        Outcome(rows.filterNot(_.contains("-1")), run.otherTheSecondTime, points, deaths)
      } finally {
        run.stop()
        CrashPoints.begin("", None)
      }
    }
  }

  private def batchRows(of: Query): Seq[String] = {
    val all = if (of.hot) hotBatches else batches
    batchResult(of.text, all.flatMap(_._1), all.flatMap(_._2))
  }

  /** What is done at a point, and what came of it, as often as it did. */
  private def table(outcomes: Seq[(CrashPoint, String)]): Unit =
    for (
      ((kind, operation), of) <- outcomes.groupBy { case (p, _) => (p.kind, p.operation) }
        .toSeq.sortBy(_._1)
    ) {
      val results = of.groupBy(_._2).map { case (result, n) => s"${n.size} $result" }
      info(s"$operation $kind: ${results.mkString(", ")}")
    }

  private def check(of: Query, points: Seq[CrashPoint] => Seq[CrashPoint]): Unit = {
    val whole = outcome(of, None)
    assert(whole.rows.nonEmpty && whole.died == 0)
    val chosen = points(whole.points)
    info(s"${chosen.size} of ${whole.points.size} points of: ${of.name}; SCALEGATE_SEED=$seed")
    val outcomes = chosen.map { point =>
      val result = outcome(of, Some(point))
      assert(result.rows == whole.rows, s"$point, SCALEGATE_SEED=$seed")
      assert(result.again.isEmpty, s"$point: a batch had other rows the second time")
      point -> (if (result.died == 0) "not come to" else "started again")
    }
    if (isSoak) table(outcomes)
  }

  for ((of, i) <- queries.zipWithIndex if isSoak || i < 2)
    test(
      s"the machine dies at an operation on a file, and no row is lost or doubled: ${of.name}"
    ) {
      check(
        of,
        all =>
          if (!isSoak)
            random.shuffle(all.filterNot(_.file.contains("/state/")).toVector).take(2) ++
              random.shuffle(all.filter(_.file.contains("/state/")).toVector).take(2)
          else random.shuffle(all).take(math.ceil(share * of.part * all.size).toInt)
      )
    }

  test("the rows of a query on a machine that does not die are those of the rows at rest") {
    // Of an inner join, to which the late rows would add nothing.
    val of = queries.find(_.name.startsWith("inner")).get
    assert(outcome(of, None).rows == batchRows(of))
  }
}
