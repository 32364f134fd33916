package org.apache.spark.sql.scalegate.stream

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.immutable.ListMap
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.scalegate.SparkStreams._

import io.scalegate.spark.checkpoint.CheckpointTerms
import io.scalegate.spark.settings.Errors

/** What a checkpoint's state was made by, in a file beside it, so that another operator does not go on with it. Driver
  * only.
  */
private[scalegate] object OperatorSpecFile {

  /** Where what is this package's alone of an operator's checkpoint lies. */
  def directory(info: StatefulOperatorStateInfo): Path =
    new Path(new Path(info.checkpointLocation, info.operatorId.toString), "_scalegate")

  /** Writes the operator's terms with the first batch, and compares with them when a query starts again.
    *
    * @param name
    *   of the file
    * @param operator
    *   what users call it
    */
  def check(
      info: StatefulOperatorStateInfo,
      name: String,
      operator: String,
      conf: Configuration,
      batch: Long,
      terms: CheckpointTerms
  ): Unit = {
    val file = new Path(directory(info), name)
    val manager = CheckpointFileManager.create(file.getParent, conf)
    if (batch == 0) {
      manager.mkdirs(file.getParent)
      AtomicFiles.write(manager, file, text(terms.written))
    } else if (manager.exists(file)) {
      val old =
        parsed(AtomicFiles.read(manager, file))
      val differing = terms.differences(old)
      if (differing.nonEmpty) throw Errors.otherCheckpoint(operator, file.toString, differing)
    }
  }

  private[this] def text(terms: Seq[(String, String)]): String =
    terms.map { case (name, value) => s"$name = ${value.replace('\n', ' ')}\n" }.mkString

  private[this] def parsed(text: String): ListMap[String, String] =
    ListMap.from(text.linesIterator.map(_.split(" = ", 2)).collect { case Array(name, value) =>
      name -> value
    })
}

/** Writes texts to files that are there whole or not at all, and reads them. */
private[scalegate] object AtomicFiles {

  def read(manager: CheckpointFileManager, file: Path): String =
    Using.resource(manager.open(file))(in => new String(in.readAllBytes(), UTF_8))

  /** Afterwards the file has this text; if that fails, what it had before. */
  def write(manager: CheckpointFileManager, file: Path, text: String): Unit = {
    val out = manager.createAtomic(file, overwriteIfPossible = true)
    try {
      out.write(text.getBytes(UTF_8))
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }
}
