package org.apache.spark.sql.scalegate.stream

import java.util.{Collections, Map => JMap, UUID}

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.util.SerializableConfiguration

import io.scalegate.spark.settings.{BoundedMap, Errors}

/** The event times that the partitions of an aggregate had reached at the end of a batch in Real-Time Mode, in
  * [[VersionFiles]]. Windows go by it there, and not by Spark's watermark, which is the one that a batch after it knows. The
  * driver makes it for a batch; it travels to the tasks, and never changes.
  */
final private[scalegate] class ReachedFiles(
    info: StatefulOperatorStateInfo,
    conf: Broadcast[SerializableConfiguration]
) extends Serializable {
  private[this] val files = new VersionFiles(info, "reached", conf)

  /** On the driver: what the partitions reached that this batch starts from; empty if the batch before was of another mode.
    * Of a query in batches only the first of a run can come after one in Real-Time Mode.
    */
  def read(isRealTime: Boolean): Map[Int, Long] =
    if (!isRealTime && ReachedFiles.haveBegun.put((info.queryRunId, info.operatorId), true))
      Map.empty
    else
      files.read().map { case (partition, (file, text)) =>
        partition -> text.toLongOption.getOrElse(throw Errors.reachedFile(file.toString, text))
      }

  /** On the driver, before the tasks of a batch in Real-Time Mode write theirs. */
  def begin(retained: Int): Unit = files.begin(retained)

  /** In a task, before it commits its state. */
  def write(partition: Int, reached: Long): Unit = files.write(partition, reached.toString)
}

private object ReachedFiles {
  private val Most = 1000

  /** The operators of runs whose first batch is through, the newest. Driver only; any thread. */
  private val haveBegun: JMap[(UUID, Long), Boolean] =
    Collections.synchronizedMap(new BoundedMap[(UUID, Long), Boolean](Most))
}
