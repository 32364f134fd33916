package org.apache.spark.sql.scalegate.stream

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.scalegate.SparkStreams._

import io.scalegate.spark.join.stream.hotkeys.{HotKeyHistory, HotKeyStore, HotKeys}
import io.scalegate.spark.settings.Errors

/** The hot keys of a join in files of its checkpoint, beside the state: `_scalegate/splits/12` holds those of batch 12
  * and of the batches after it that have no file of their own. Driver only; one thread at a time.
  *
  * @param retained
  *   batches that the query may be set back by
  */
final private[scalegate] class HotKeyFiles(
    info: StatefulOperatorStateInfo,
    conf: Configuration,
    retained: Int
) extends HotKeyStore {
  private[this] val directory = new Path(OperatorSpecFile.directory(info), "splits")
  private[this] lazy val manager = CheckpointFileManager.create(directory, conf)

  def latest(batch: Long): HotKeys = {
    val (past, future) = batches.partition(_ <= batch)
    future.foreach(delete)
    past.lastOption.fold(HotKeys.none)(read)
  }

  def write(batch: Long, keys: HotKeys): Unit = {
    manager.mkdirs(directory)
    AtomicFiles.write(manager, file(batch), HotKeys.text(keys))
    batches.filter(_ <= batch - retained).dropRight(1).foreach(delete)
  }

  private[this] def read(batch: Long): HotKeys = {
    val text = AtomicFiles.read(manager, file(batch))
    try HotKeys.parsed(text)
    catch {
      case e: IllegalArgumentException => throw Errors.hotKeyFile(file(batch).toString, e)
    }
  }

  private[this] def batches: Seq[Long] =
    if (!manager.exists(directory)) Nil
    else manager.list(directory).flatMap(_.getPath.getName.toLongOption).sorted.toSeq

  private[this] def delete(batch: Long): Unit = manager.delete(file(batch))

  private[this] def file(batch: Long) = new Path(directory, batch.toString)
}

/** The hot keys of the joins that run. Driver only; any thread. A query that has ended is let go of when another
  * begins.
  */
private[scalegate] object HotKeyHistories {
  private[this] val known = new ConcurrentHashMap[(UUID, Long), HotKeyHistory]

  /** Of this operator of a run of a query, from its first batch on. */
  def getOrMake(info: StatefulOperatorStateInfo, session: SparkSession)(
      make: => HotKeyHistory
  ): HotKeyHistory = {
    val key = (info.queryRunId, info.operatorId)
    val present = known.get(key)
    if (present != null) present
    else {
      val running = session.sharedState.activeStreamingQueries
      known.keySet.removeIf { case (run, _) =>
        !running.values.stream.anyMatch(_.runId == run)
      }
      known.computeIfAbsent(key, _ => make)
    }
  }
}
