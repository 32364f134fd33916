package io.scalegate.spark.crash

import scala.util.Random
import scala.util.control.NonFatal

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.scalegate.StreamAccess

import io.scalegate.spark.join.stream.Event
import io.scalegate.spark.join.stream.realtime.RealTimeSuite
import io.scalegate.stream.{Side, Sides}
import io.scalegate.tags.{Faults, Streaming}
import io.scalegate.{BoundedWait, Sample}

/** Queries in Real-Time Mode on a machine that dies at any operation on the files of their checkpoints, and is started
  * again: each row of the same query over tables comes, some of them twice, and no other. With `SCALEGATE_SOAK` a hundred
  * deaths, otherwise a dozen, by `SCALEGATE_SEED`.
  */
@Faults
@Streaming
final class RealTimeCrashSuite extends RealTimeSuite {
  override protected def settings: Map[String, String] = super.settings ++ FaultyFiles.Settings

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    // Each death is an error with pages of frames.
    spark.sparkContext.setLogLevel("OFF")
  }

  private val seed = sys.env.get("SCALEGATE_SEED").fold(System.nanoTime)(_.toLong)
  private val deaths = if (Sample.isSoak) 25 else 3
  private val within = "r.ts BETWEEN l.ts - INTERVAL 2 SECONDS AND l.ts + INTERVAL 3 SECONDS"
  private val ids = "l.id AS a, r.id AS b"

  for (
    (name, query) <- Seq(
      "a full join by keys" -> s"SELECT $ids FROM l FULL JOIN r ON l.k = r.k AND $within",
      "a left join by PIM-Tree" ->
        s"SELECT /*+ WINDOW_JOIN('pim') */ $ids FROM l LEFT JOIN r ON abs(l.x - r.x) <= 1 AND $within",
      "an as-of join" ->
        s"SELECT $ids FROM l LEFT JOIN r ON l.k = r.k AND asof(l.ts, r.ts, 'backward', NULL, true, r.id)",
      "windows that are given once" ->
        ("SELECT /*+ WINDOW_EMIT('final') */ k, window.start AS s, count(*) AS n, sum(x) AS t " +
          "FROM l GROUP BY k, window(ts, '4 seconds', '1 second')")
    )
  ) test(s"$name: every row comes, and no other, when the machine dies") {
    val random = new Random(seed + name.hashCode)
    val parts = Sides.each(_ => Vector.fill(Partitions)(randomEvents(random)))
    val expected = plainRows(query.replaceAll("/\\*.*\\*/", ""), parts)
    val whole = new Mortal(query, None)
    assert(whole.run(parts, expected) == expected)
    val points = random.shuffle(CrashPoints.all.filter(isOfFirstBatches)).take(deaths)
    for (point <- points) {
      val mortal = new Mortal(query, Some(point))
      assert(mortal.run(parts, expected) == expected, s"SCALEGATE_SEED=$seed, $point")
      info(s"$point: ${mortal.deaths} deaths")
    }
  }

  /** Those of later ones may not come up in another run. */
  private def isOfFirstBatches(point: CrashPoint) = !point.file.matches(".*/([3-9]|\\d\\d+).*")

  /** A query on such a machine. */
  private class Mortal(query: String, crash: Option[CrashPoint]) {
    private val q = new Running(query, trigger = "1 second")
    var deaths = 0

    /** All that it gives of these rows, each once. */
    def run(parts: Sides[Vector[Vector[Event]]], expected: Seq[String]): Seq[String] =
      try {
        CrashPoints.begin(q.checkpoint.toString, crash)
        survive { q.start(); () }
        for (step <- 0 until Steps) {
          each((side, p) => slice(parts(side)(p), step))
          val before = batch
          until(batch > before)
        }
        // What is at the end of all rows moves what the sources promise past all others.
        each((_, p) => Seq(at(1000 + p, 1000000L + p, k = 77, x = 1000)))
        until(expected.toSet.subsetOf(q.collected.rows.toSet))
        q.collected.rows.distinct.filterNot(_.contains("100000")).sorted
      } finally {
        CrashPoints.freeze()
        stop()
        FileUtils.deleteQuietly(q.checkpoint.toFile)
      }

    private def each(rows: (Side, Int) => Seq[Event]): Unit =
      for (side <- Seq(Side.R, Side.S); p <- 0 until Partitions) q.add(side, p, rows(side, p): _*)

    private def slice(rows: Vector[Event], step: Int) = {
      val size = rows.size / Steps
      rows.slice(step * size, if (step == Steps - 1) rows.size else (step + 1) * size)
    }

    private def batch: Long = q.progress.fold(-1L)(_.batchId)

    private def until(done: => Boolean): Unit = {
      val end = System.nanoTime + BoundedWait.Seconds * 1000000000L
      while (!done && System.nanoTime < end) {
        survive(())
        Thread.sleep(20)
      }
    }

    private def survive(action: => Unit): Unit = {
      try action
      catch { case NonFatal(e) => if (!CrashPoints.isDead) throw e }
      if (CrashPoints.isDead) {
        deaths += 1
        restart(CrashPoints.revive())
      } else if (q.failure.exists(_.contains("LOCATION_NOT_EMPTY")))
        // Where the first batch was not committed Spark wants the directory emptied.
        restart(FileUtils.cleanDirectory(q.checkpoint.toFile))
      else q.failure.foreach(fail(_))
    }

    private def restart(between: => Unit): Unit = {
      stop()
      between
      q.start()
      ()
    }

    private def stop(): Unit = {
      q.stop()
      StreamAccess.unloadStores(q.checkpoint.toString)
    }
  }

  private val Steps = 3
}
