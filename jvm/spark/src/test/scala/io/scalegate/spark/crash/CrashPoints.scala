package io.scalegate.spark.crash

import java.io.IOException

import scala.collection.mutable

import org.apache.hadoop.fs.Path

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

  def isOfState: Boolean = file.startsWith("/state/")
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

  /** What is done from now on is not counted. */
  def freeze(): Unit = synchronized { root = "" }

  /** All operations so far. */
  def all: Seq[CrashPoint] = synchronized {
    for (((operation, file), count) <- seen.toSeq; n <- 0 until count; after <- Seq(false, true))
      yield CrashPoint(operation, file, n, after)
  }

  private[this] def isOurs(file: Path) = root.nonEmpty && file.toString.contains(root)

  def at[T](operation: String, file: Path)(effect: => T): T =
    if (!synchronized(isOurs(file))) effect
    else {
      val point = arrive(operation, nameOf(file))
      if (dies(point)) throw new IOException(s"the machine died $point")
      val result = effect
      if (dies(point.copy(after = true)))
        throw new IOException(s"the machine died ${point.copy(after = true)}")
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
