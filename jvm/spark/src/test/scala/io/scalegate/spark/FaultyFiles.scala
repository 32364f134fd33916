package io.scalegate.spark

import java.io.{FilterOutputStream, IOException, OutputStream}

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, Path, PathFilter}
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream
import org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager

/** The files of checkpoints on a machine that dies at a chosen operation on one of them, before it or after it has taken
  * effect, and does nothing more until it is started again.
  */
final class FaultyFiles(path: Path, conf: Configuration)
    extends FileSystemBasedCheckpointFileManager(path, conf) {
  import CrashPoints.at

  override def createAtomic(to: Path, overwrite: Boolean): CancellableFSDataOutputStream = {
    val file = at("create", to)(super.createAtomic(to, overwrite))
    new CancellableFSDataOutputStream(new FaultyStream(file, to)) {
      // What is dead does not clean up.
      def cancel(): Unit = if (!CrashPoints.isDead(to)) file.cancel()
    }
  }

  override def open(path: Path): FSDataInputStream = at("open", path)(super.open(path))
  override def list(path: Path, filter: PathFilter): Array[FileStatus] =
    at("list", path)(super.list(path, filter))
  override def mkdirs(path: Path): Unit = at("mkdirs", path)(super.mkdirs(path))
  override def exists(path: Path): Boolean = at("exists", path)(super.exists(path))
  override def delete(path: Path): Unit = at("delete", path)(super.delete(path))
}

final private class FaultyStream(file: OutputStream, to: Path) extends FilterOutputStream(file) {
  private[this] var closed = false

  override def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    file.write(bytes, from, count)

  override def close(): Unit = if (!closed) {
    closed = true
    CrashPoints.at("close", to)(file.close())
  }
}

/** An operation on a file of a checkpoint.
  *
  * @param file
  *   from the checkpoint's directory on, without what is another each time
  * @param number
  *   of those on the file so far, from 0
  */
final case class CrashPoint(operation: String, file: String, number: Int, after: Boolean) {
  override def toString: String =
    s"${if (after) "after" else "before"} $operation of $file${if (number == 0) ""
      else s", the ${number + 1}th"}"

  /** What it is of, whatever the batch and partition. */
  def kind: String = file.replaceAll("\\d+", "N")
}

/** Where the machine dies. One checkpoint at a time; any thread. */
object CrashPoints {
  private[this] var root = ""
  private[this] var crash = Option.empty[CrashPoint]
  private[this] var dead = false
  private[this] val seen = mutable.LinkedHashMap.empty[(String, String), Int]

  /** From now on the operations on the files of this directory are counted. */
  def begin(directory: String, at: Option[CrashPoint]): Unit = synchronized {
    root = directory
    crash = at
    dead = false
    seen.clear()
  }

  def revive(): Unit = synchronized {
    dead = false
    crash = None
  }

  def isDead: Boolean = synchronized(dead)
  def isDead(file: Path): Boolean = synchronized(dead && isOurs(file))

  /** All operations so far. */
  def all: Seq[CrashPoint] = synchronized {
    for (((operation, file), count) <- seen.toSeq; n <- 0 until count; after <- Seq(false, true))
      yield CrashPoint(operation, file, n, after)
  }

  private[this] def isOurs(file: Path) = root.nonEmpty && file.toString.contains(root)

  def at[T](operation: String, file: Path)(effect: => T): T =
    if (!synchronized(isOurs(file))) effect
    else {
      val place = arrive(operation, nameOf(file))
      if (dies(place)) throw new IOException(s"the machine died $place")
      val result = effect
      if (dies(place.copy(after = true)))
        throw new IOException(s"the machine died ${place.copy(after = true)}")
      result
    }

  private[this] def nameOf(file: Path): String = {
    val text = file.toString
    text.drop(text.indexOf(root) + root.length)
      .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "*")
  }

  private[this] def arrive(operation: String, file: String): CrashPoint = synchronized {
    val number = seen.getOrElse((operation, file), 0)
    if (!dead) seen((operation, file)) = number + 1
    CrashPoint(operation, file, number, after = false)
  }

  private[this] def dies(here: CrashPoint): Boolean = synchronized {
    if (crash.contains(here)) dead = true
    dead
  }
}
