package io.scalegate.spark.crash

import java.io.{FilterOutputStream, OutputStream}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, Path, PathFilter}
import org.apache.spark.sql.scalegate.TestStreams.{
  CancellableFSDataOutputStream,
  FileSystemBasedCheckpointFileManager
}

import io.scalegate.spark.PlainFileSystem

/** The files of checkpoints on a machine that dies at a chosen operation on one of them, before it or after it has
  * taken effect, and does nothing more until it is started again.
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

private[crash] object FaultyFiles {

  /** Of a session whose checkpoints' files these are. */
  val Settings: Map[String, String] = Map(
    "spark.sql.streaming.checkpointFileManagerClass" -> classOf[FaultyFiles].getName,
    "spark.hadoop.fs.file.impl" -> classOf[FaultyFileSystem].getName,
    "spark.hadoop.fs.file.impl.disable.cache" -> "true",
    // What Spark does in threads of its own comes at times of theirs.
    "spark.sql.streaming.stateStore.maintenanceInterval" -> "1h",
    "spark.sql.streaming.asyncLogPurge.enabled" -> "false"
  )
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

/** The same for the files that RocksDB's store brings to the checkpoint, and fetches from it, past its manager. */
final class FaultyFileSystem extends PlainFileSystem {
  override def copyFromLocalFile(from: Path, to: Path): Unit =
    CrashPoints.at("upload", to)(super.copyFromLocalFile(from, to))

  override def copyToLocalFile(from: Path, to: Path): Unit =
    CrashPoints.at("download", from)(super.copyToLocalFile(from, to))
}
