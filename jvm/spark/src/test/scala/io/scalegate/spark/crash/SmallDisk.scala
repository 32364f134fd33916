package io.scalegate.spark.crash

import java.io.{File, FileOutputStream, IOException}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.sys.process.{Process, ProcessLogger}
import scala.util.Try

import org.apache.commons.io.FileUtils

/** A disk of its own in memory, which can be filled. */
final class SmallDisk(val at: Path, megabytes: Int) {
  private[this] val filler = at.resolve("filler").toFile

  /** Whether it is there: to mount one takes rights that not everybody has. */
  val isMounted: Boolean =
    runs("mount", "-t", "tmpfs", "-o", s"size=${megabytes}m", "tmpfs", at.toString)

  /** From now on there is room for so many bytes more. */
  def fill(room: Long): Unit = {
    val out = new FileOutputStream(filler)
    val block = new Array[Byte](1 << 16)
    try while (true) out.write(block)
    catch { case _: IOException => out.getChannel.truncate(math.max(0L, filler.length - room)) }
    finally out.close()
  }

  def makeRoom(): Unit = { filler.delete(); () }

  /** Files on it that this process has open, those that are deleted too. */
  def openFiles: Seq[String] = new File("/proc/self/fd").listFiles.toSeq
    .flatMap(f => Try(Files.readSymbolicLink(f.toPath).toString).toOption)
    .filter(_.startsWith(at.toString))

  def files: Seq[File] = FileUtils.listFiles(at.toFile, null, true).asScala.toSeq

  /** False while a file on it is open. */
  def unmount(): Boolean = !isMounted || runs("umount", at.toString)

  private[this] def runs(command: String*): Boolean =
    Try(Process(command).!(ProcessLogger(_ => ()))).toOption.contains(0)
}
