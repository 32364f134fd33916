package org.apache.spark.sql.scalegate.stream

import org.apache.hadoop.fs.Path
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.util.SerializableConfiguration

/** Files of an operator's checkpoint that its tasks write beside a version of their state: with the name `reached`,
  * `_scalegate/reached/12/3` is that of partition 3 with version 12. The driver makes it for a batch; it travels to the
  * tasks, and never changes.
  */
final private[scalegate] class VersionFiles(
    info: StatefulOperatorStateInfo,
    name: String,
    conf: Broadcast[SerializableConfiguration]
) extends Serializable {
  private[this] val directory = new Path(OperatorSpecFile.directory(info), name)
  private[this] def of(version: Long) = new Path(directory, version.toString)
  private[this] def manager = CheckpointFileManager.create(directory, conf.value.value)

  /** On the driver: by their partitions, the files of the version that this batch starts from, and what they hold. */
  def read(): Map[Int, (Path, String)] = {
    val (files, from) = (manager, of(info.storeVersion))
    if (!files.exists(from)) Map.empty
    else
      files.list(from).map(_.getPath).flatMap { path =>
        path.getName.toIntOption.map { partition =>
          partition -> (path, AtomicFiles.read(files, path))
        }
      }.toMap
  }

  /** On the driver, before the tasks of a batch write theirs: the files of older versions go.
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
  def write(partition: Int, text: String): Unit =
    AtomicFiles.write(
      manager,
      new Path(of(info.storeVersion + 1), partition.toString),
      text
    )
}
