package io.scalegate.spark.crash

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.scalegate.StreamAccess

import io.scalegate.spark.join.stream.StreamingJoinSuite
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.tags.Faults

/** What has come of a query, and of its late rows. */
final private[spark] case class Written(rows: Seq[String], late: Seq[String])

/** A part of a query without a death.
  *
  * @param steps
  *   of the query
  * @param points
  *   at which the machine may die in it
  * @param before
  *   the checkpoint, and all rows so far, as the part finds them
  */
final private[spark] case class CrashPart(
    steps: Range,
    points: Seq[CrashPoint],
    before: Option[(Path, Seq[String])]
)

/** A query without a death, which stops and starts between its parts. */
final private[spark] case class CrashWhole(parts: Seq[CrashPart], written: Written)

/** How a query went on after a death.
  *
  * @param again
  *   the batches that had other rows the second time
  */
final private[spark] case class CrashOutcome(
    written: Written,
    again: Seq[Long],
    deaths: Int,
    asked: Boolean
)

/** Runs streaming queries on a machine that dies at an operation on a file of the checkpoint, and is started again.
  *
  * A query is run once without a death, and its checkpoint kept as it is between its parts. A death within a part is
  * then tried from there: what came before is as it was.
  */
@Faults
abstract class CrashedStreams extends StreamingJoinSuite {
  // Maintenance is done here between the batches.
  override protected def settings: Map[String, String] = super.settings ++
    FaultyFiles.Settings + ("spark.sql.streaming.stateStore.minDeltasForSnapshot" -> "2")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    // Each death is an error with pages of frames.
    spark.sparkContext.setLogLevel("OFF")
  }

  protected def withQuery[T](crashQuery: CrashQuery, in: CrashStore)(body: => T): T =
    withSettings(
      in.all :+ ("spark.sql.shuffle.partitions" -> crashQuery.partitions.toString): _*
    )(body)

  /** The first batches go on without a start between them, as most of a query's do. */
  private def partsOf(crashQuery: CrashQuery): Seq[Range] =
    (0 until crashQuery.steps.size - 2) +: (crashQuery.steps.size - 2 until crashQuery.steps.size)
      .map(i => i to i)

  protected def whole(crashQuery: CrashQuery, in: CrashStore): CrashWhole = {
    val parts =
      partsOf(crashQuery).scanLeft((Option.empty[CrashPart], Option.empty[(Path, Seq[String])])) {
        case ((_, before), steps) =>
          val run = new Mortal(crashQuery, in, before, None)
          run.through(steps)
          val part = CrashPart(steps, CrashPoints.all, before)
          (Some(part), Some((run.directory, run.output)))
      }
    val (directory, rows) = parts.last._2.get
    CrashWhole(parts.flatMap(_._1), Written(crashQuery.results(rows), lateRows(directory)))
  }

  protected def outcome(
      crashQuery: CrashQuery,
      in: CrashStore,
      part: CrashPart,
      point: CrashPoint
  ): CrashOutcome = {
    val run = new Mortal(crashQuery, in, part.before, Some(point))
    try {
      run.through(part.steps.head until crashQuery.steps.size)
      val written = Written(crashQuery.results(run.output), lateRows(run.directory))
      CrashOutcome(written, run.again, run.deaths, run.asked)
    } finally FileUtils.deleteQuietly(run.directory.toFile)
  }

  private def lateRows(directory: Path): Seq[String] = {
    val late = directory.resolve("late").toFile
    if (!late.exists) Nil
    else
      FileUtils.listFiles(late, Array("json"), true).asScala.toSeq
        .flatMap(file => Files.readAllLines(file.toPath).asScala).sorted
  }

  /** A query on such a machine, from a copy of a checkpoint on. */
  private class Mortal(
      crashQuery: CrashQuery,
      in: CrashStore,
      before: Option[(Path, Seq[String])],
      crash: Option[CrashPoint]
  ) {
    val directory: Path = newDirectory()
    var deaths = 0
    var asked = false
    private val query =
      new Running(crashQuery.text, "2 seconds", crashQuery.mode, checkpoint = directory)

    def output: Seq[String] =
      if (crashQuery.mode == "complete") query.last
      else before.toSeq.flatMap(_._2) ++ query.inOrder
    def again: Seq[Long] = query.otherTheSecondTime

    def through(steps: Range): Unit = withQuery(crashQuery, in) {
      for ((path, _) <- before) FileUtils.copyDirectory(path.toFile, directory.toFile)
      for ((l, r) <- crashQuery.steps.take(steps.head)) query.before(l, r)
      CrashPoints.begin(directory.toString, crash)
      withSettings(ScaleGateConf.LateRows -> directory.resolve("late").toString) {
        try {
          survive { query.start(); () }
          for ((l, r) <- steps.map(crashQuery.steps)) {
            survive { query.add(l, r); () }
            survive(StreamAccess.maintainStores(directory.toString))
          }
        } finally stop()
      }
      CrashPoints.freeze()
    }

    private def stop(): Unit = {
      query.stop()
      StreamAccess.unloadStores(directory.toString)
    }

    private def survive(action: => Unit): Unit = {
      try action
      catch { case NonFatal(e) => if (!CrashPoints.isDead) throw e }
      if (CrashPoints.isDead) {
        deaths += 1
        stop()
        CrashPoints.revive()
        restart()
      }
    }

    private def restart(): Unit =
      try resume()
      catch {
        // Where the first batch was not yet planned Spark wants the directory emptied.
        case NonFatal(e) if isUnused(e) =>
          asked = true
          stop()
          FileUtils.cleanDirectory(directory.toFile)
          resume()
      }

    // No row, but a batch: what the one that was lost would have done beside its rows.
    private def resume(): Unit = { query.start(); query.add(Nil, Nil); () }

    private def isUnused(e: Throwable) = query.batches == 0 && before.isEmpty &&
      causes(e).exists(_.toString.contains("STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY"))
  }
}
