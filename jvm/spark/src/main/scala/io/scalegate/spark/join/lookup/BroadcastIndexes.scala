package io.scalegate.spark.join.lookup

import java.lang.ref.{Cleaner, SoftReference}
import java.util.concurrent.ConcurrentHashMap
import java.util.{Collections, Map => JavaMap, WeakHashMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.scalegate.StorageMemory

import io.scalegate.spark.rows.{IndexBy, IndexedRows}
import io.scalegate.stream.Side

/** What an index of broadcast rows is known by: how the rows are indexed. One broadcast may serve several joins. */
final private[scalegate] case class IndexUse(attributes: Seq[Expression], by: IndexBy, side: Side)

/** An index, and what it takes of the executor's memory. */
final private[scalegate] case class BuiltIndex(rows: IndexedRows, memory: StorageMemory)

/** The indexes of broadcast rows in this JVM. The first task that asks builds an index, and others wait for it; any
  * thread.
  *
  * An index goes when its rows go, or when no task uses it and the JVM is short of memory: Spark keeps the rows of a
  * query that is over until the driver forgets the query. An index that had to be built again is kept as long as its
  * rows, or until another index needs its memory: else each task of a stage might build it.
  *
  * Indexes are in Spark's accounts, as storage. An index that there is no room for is not built.
  */
private[scalegate] object BroadcastIndexes {

  /** An index that is built by who asks first for it, while others wait. */
  final private class Held {
    /*
     * What is guarded by `this` is read and written at once. Only `building` is held for long, and by nobody who waits
     * for another index: who builds one may drop others.
     */
    private[this] val building = new Object
    private[this] var index = new SoftReference[IndexedRows](null)
    private[this] var kept: IndexedRows = _
    private[this] var memory: StorageMemory = _
    private[this] var users = 0
    private[this] var builds = 0
    private[this] var failed = false

    def get(made: => Option[BuiltIndex], task: TaskContext): Option[IndexedRows] = {
      synchronized(users += 1)
      task.addTaskCompletionListener[Unit](_ => synchronized(users -= 1))
      building.synchronized {
        val there = synchronized(Option(kept).orElse(Option(index.get)))
        there.orElse(if (failed) None else built(made))
      }
    }

    private[this] def built(made: => Option[BuiltIndex]): Option[IndexedRows] =
      try made.map { built =>
          // Nothing of what runs then may lead to the rows, or they would never go.
          val taken = built.memory
          cleaner.register(built.rows, () => taken.release())
          keep(built)
          built.rows
        }
      catch {
        case _: OutOfMemoryError =>
          failed = true
          None
      }

    private[this] def keep(built: BuiltIndex): Unit = synchronized {
      builds += 1
      memory = built.memory
      index = new SoftReference(built.rows)
      if (builds > 1) kept = built.rows
    }

    /** Lets go of the index if no task uses it. */
    def drop(): Unit = synchronized {
      if (users == 0 && memory != null) {
        index.clear()
        kept = null
        memory.release()
        memory = null
      }
    }
  }

  private[this] val cleaner = Cleaner.create()

  private[this] val known: JavaMap[Array[InternalRow], ConcurrentHashMap[IndexUse, Held]] =
    Collections.synchronizedMap(new WeakHashMap)

  /** The index of these rows; None if there is no memory for it.
    *
    * @param made
    *   builds it, and says what of memory it takes. If it runs out of memory all the same, it is not asked again
    */
  def getOrBuild(
      rows: Array[InternalRow],
      use: IndexUse,
      task: TaskContext,
      made: => Option[BuiltIndex]
  ): Option[IndexedRows] =
    known
      .computeIfAbsent(rows, _ => new ConcurrentHashMap)
      .computeIfAbsent(use, _ => new Held)
      .get(made, task)

  /** Memory for another index; those that no task uses go for it. */
  def reserve(bytes: Long): Option[StorageMemory] =
    StorageMemory.reserve(bytes).orElse {
      val all = known.synchronized(known.values.asScala.toSeq)
      all.flatMap(_.values.asScala).foreach(_.drop())
      StorageMemory.reserve(bytes)
    }
}
