package org.apache.spark.sql.scalegate.stream

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Collections, LinkedHashMap, Map => JMap, UUID}

import scala.util.Using

import org.apache.hadoop.fs.Path
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.util.SerializableConfiguration

import io.scalegate.spark.settings.Errors

/** The event times that the partitions of an aggregate had reached at the end of a batch in Real-Time Mode, in files of its
  * checkpoint, beside the state: `_scalegate/reached/12/3` is that of partition 3 in the state of version 12. Windows go
  * by it there, and not by Spark's watermark, which is the one that a batch after it knows. The driver makes it for a
  * batch; it travels to the tasks, and never changes.
  */
final private[scalegate] class ReachedFiles(
    info: StatefulOperatorStateInfo,
    conf: Broadcast[SerializableConfiguration]
) extends Serializable {
  private[this] val directory = new Path(OperatorSpecFile.directory(info), "reached")
  private[this] def of(version: Long) = new Path(directory, version.toString)
  private[this] def manager = CheckpointFileManager.create(directory, conf.value.value)

  /** On the driver: what the partitions reached that this batch starts from; empty if the batch before was of another mode.
    * Of a query in batches only the first of a run can come after one in Real-Time Mode.
    */
  def read(isRealTime: Boolean): Map[Int, Long] =
    if (!isRealTime && ReachedFiles.haveBegun.put((info.queryRunId, info.operatorId), true))
      Map.empty
    else {
      val (files, from) = (manager, of(info.storeVersion))
      if (!files.exists(from)) Map.empty
      else
        files.list(from).flatMap { file =>
          val path = file.getPath
          path.getName.toIntOption.map(_ -> parsed(files, path))
        }.toMap
    }

  /** On the driver, before the tasks of a batch in Real-Time Mode write theirs.
    *
    * @param retained
    *   batches that the query may be set back by
    */
  def begin(retained: Int): Unit = {
    val files = manager
    files.mkdirs(of(info.storeVersion + 1))
    files.list(directory).map(_.getPath)
      .filter(_.getName.toLongOption.exists(_ < info.storeVersion - retained))
      .foreach(files.delete)
  }

  /** In a task, before it commits its state. */
  def write(partition: Int, reached: Long): Unit =
    AtomicFiles.write(
      manager,
      new Path(of(info.storeVersion + 1), partition.toString),
      reached.toString
    )

  private[this] def parsed(files: CheckpointFileManager, path: Path): Long = {
    val text = Using.resource(files.open(path))(in => new String(in.readAllBytes(), UTF_8))
    text.toLongOption.getOrElse(throw Errors.reachedFile(path.toString, text))
  }
}

private object ReachedFiles {
  private val Most = 1000

  /** The operators of runs whose first batch is through, the newest. Driver only; any thread. */
  private val haveBegun: JMap[(UUID, Long), Boolean] = Collections.synchronizedMap(
    new LinkedHashMap[(UUID, Long), Boolean] {
      override def removeEldestEntry(eldest: JMap.Entry[(UUID, Long), Boolean]): Boolean =
        size > Most
    }
  )
}
