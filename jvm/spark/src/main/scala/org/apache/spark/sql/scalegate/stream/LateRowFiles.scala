package org.apache.spark.sql.scalegate.stream

import java.io.OutputStreamWriter
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BoundReference,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.json.{JSONOptions, JacksonGenerator}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.util.SerializableConfiguration

import io.scalegate.stream.Side

/** Keeps the rows that came too late to a streaming join, as lines of JSON in files whose names are those of batch and
  * task: `operator=0/side=left/batch=7/part-00003.json`. A batch that runs again writes the same files again. It
  * travels to the tasks, and never changes.
  *
  * @param columns
  *   of the left rows, and of the right ones, which come first among those that the join reads
  */
final private[scalegate] class LateRowFiles(
    directory: String,
    operator: Long,
    columns: (Seq[Attribute], Seq[Attribute]),
    hadoopConf: Broadcast[SerializableConfiguration],
    conf: SQLConf
) extends Serializable {
  private[this] val zone = conf.sessionLocalTimeZone

  /** The files of one task, of which each is made with its first row. */
  def open(batch: Long, partition: Int): LateRowWriters = {
    def writer(side: String, sideColumns: Seq[Attribute]) = {
      val name = f"operator=$operator/side=$side/batch=$batch/part-$partition%05d.json"
      new LateRowWriter(new Path(directory, name), sideColumns, zone, hadoopConf)
    }
    new LateRowWriters(writer("left", columns._1), writer("right", columns._2))
  }
}

/** The files of one task: one for each side. One thread, the task's, at whose end what was not closed is not written.
  */
final private[scalegate] class LateRowWriters(left: LateRowWriter, right: LateRowWriter) {
  TaskContext.get().addTaskCompletionListener[Unit] { _ =>
    left.cancel()
    right.cancel()
  }

  def add(side: Side, row: UnsafeRow): Unit = (if (side eq Side.R) left else right).add(row)

  /** From now on the files are there. */
  def close(): Unit = {
    left.close()
    right.close()
  }
}

/** A file of late rows, which is there when it is closed. It is made with its first row. */
final private[scalegate] class LateRowWriter(
    file: Path,
    columns: Seq[Attribute],
    zone: String,
    hadoopConf: Broadcast[SerializableConfiguration]
) {
  private[this] var stream: CheckpointFileManager.CancellableFSDataOutputStream = _
  private[this] var json: JacksonGenerator = _
  private[this] lazy val visible =
    UnsafeProjection.create(columns.indices.map { i =>
      BoundReference(i, columns(i).dataType, columns(i).nullable)
    })

  def add(row: UnsafeRow): Unit = {
    if (json == null) open()
    json.write(visible(row))
    json.writeLineEnding()
  }

  private[this] def open(): Unit = {
    val manager = CheckpointFileManager.create(file.getParent, hadoopConf.value.value)
    manager.mkdirs(file.getParent)
    stream = manager.createAtomic(file, overwriteIfPossible = true)
    json = new JacksonGenerator(
      StructType(columns.map(a => StructField(a.name, a.dataType))),
      new OutputStreamWriter(stream, UTF_8),
      new JSONOptions(Map.empty[String, String], zone)
    )
  }

  def close(): Unit = if (json != null) {
    json.close() // and what it writes to
    stream = null
    json = null
  }

  /** What was not closed is not written. */
  def cancel(): Unit = if (stream != null) stream.cancel()
}
