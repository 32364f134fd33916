package io.scalegate.spark.join.stream.perkey

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{BasePredicate, JoinedRow, UnsafeRow}

import io.scalegate.lookup.NearestIndex
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.task.{BatchServices, StreamBatch}
import io.scalegate.stream.{Side, Sides}

/** The rows that one batch adds to an as-of join of two streams, in one partition: each left row whose answer is final by
  * the batch's watermark, in the order of their times, with the nearest right rows of its key.
  *
  * One thread, the task's. It holds an index of the right rows of the keys that such left rows have.
  *
  * @param before
  *   what was held; nothing of it is changed
  */
final private[scalegate] class NearestBatch(
    probing: Probing,
    nearest: NearestPerKey,
    arrivals: Sides[KeyedArrivals],
    accepts: Option[BasePredicate],
    before: NearestState,
    eventTimes: Sides[Int],
    batch: StreamBatch,
    services: BatchServices
) extends KeyedBatch(arrivals, before, batch, services) {
  import nearest.reach
  import services.store

  private[this] val changed = withArrived()
  private[this] val atOnce = arrivals.left.unmatchable
  private[this] val pair = new JoinedRow
  private[this] val condition = accepts.orNull

  private[this] val numbers = mutable.HashMap.empty[UnsafeRow, Int] // of the left rows' keys
  private[this] val probes = arrivals.left.now
  private[this] val probeKeys = probes.map(row => numberOf(arrivals.left.keyOf(row.row)))
  private[this] val candidates = rightRows()
  private[this] val index = indexOf(candidates)
  private[this] val lookup = index.lookup()
  private[this] val terms = new Array[Long](2) // the number of a probe's key, and its time
  private[this] var probe = -1
  private[this] var found = 0 // right rows of the probe row's
  private[this] var isProbing = false
  private[this] var unmatchableAt = 0
  private[this] var evicted = 0L
  private[this] var evictedBytes = 0L

  def comparisons: Long = lookup.comparisons

  protected def held(): NearestState = {
    val isSwept = reach.isSwept(before.swept, batch.watermark)
    val left = finished(arrivals.left)(probes.foreach(evict(arrivals.left, _)))
    var keys = before.keys
    def keep(key: UnsafeRow, rows: Vector[KeyedRow]) =
      keys = if (rows.isEmpty) keys.removed(key) else keys.updated(key, rows)
    val right = finished(arrivals.right) {
      changed.foreach { case (key, rows) =>
        keep(key, kept(rows).map(arrivals.right.written(_, store)))
      }
      if (isSwept) before.keys.foreach { case (key, rows) =>
        if (!changed.contains(key)) {
          val left = kept(rows)
          if (left.size < rows.size) keep(key, left)
        }
      }
    }
    val swept = if (isSwept) batch.watermark else before.swept
    new NearestState(keys, left, right, batch.watermark, swept, eventTimes)
  }

  /** What is held of a side from now on, when `evictions` has taken rows of it away. */
  private[this] def finished(side: KeyedArrivals)(evictions: => Unit): SideOfKeys = {
    evicted = 0
    evictedBytes = 0
    evictions
    side.finish(store, evicted, evictedBytes)
  }

  private[this] def evict(side: KeyedArrivals, row: KeyedRow): Unit = {
    evicted += 1
    evictedBytes += row.row.getSizeInBytes
    side.remove(row, store)
  }

  /** Of a key's right rows those that an answer may yet be. */
  private[this] def kept(rows: Vector[KeyedRow]): Vector[KeyedRow] = {
    val first = reach.firstOfUse(rows.size, n => timeOf(rows(n)), batch.watermark)
    for (n <- 0 until first) evict(arrivals.right, rows(n))
    rows.drop(first)
  }

  private[this] def timeOf(right: KeyedRow) = arrivals.right.inOrder.timeOf(right.row)

  /** The keys of the right rows whose turn has come, each with all right rows that it has. */
  private[this] def withArrived(): mutable.HashMap[UnsafeRow, Vector[KeyedRow]] = {
    val rows = mutable.HashMap.empty[UnsafeRow, mutable.ArrayBuffer[KeyedRow]]
    arrivals.right.now.foreach { row =>
      val key = arrivals.right.keyOf(row.row)
      rows.getOrElse(
        key, {
          val own = key.copy()
          val made = mutable.ArrayBuffer.from(before.keys.getOrElse(own, Vector.empty))
          rows(own) = made
          made
        }
      ) += row
    }
    // No new row lies before those held: it would be late, and is dropped where it is read.
    rows.map { case (key, of) => key -> of.toVector }
  }

  private[this] def numberOf(key: UnsafeRow): Int =
    numbers.getOrElse(
      key, {
        numbers(key.copy()) = numbers.size
        numbers.size - 1
      }
    )

  /** Those of the left rows' keys, each with the number of its key. */
  private[this] def rightRows(): Vector[(Int, KeyedRow)] = {
    val rows = Vector.newBuilder[(Int, KeyedRow)]
    numbers.foreach { case (key, number) =>
      changed.get(key).orElse(before.keys.get(key)).foreach(_.foreach(row =>
        rows += number -> row
      ))
    }
    rows.result()
  }

  private[this] def indexOf(rows: Vector[(Int, KeyedRow)]) = NearestIndex(
    nearest.by,
    Side.S,
    Some(rows.iterator.map(_._1.toLong).toArray),
    rows.iterator.map(r => timeOf(r._2)).toArray,
    Integer.compare(_, _) // a key's rows are in their order
  )

  protected def step(): Boolean =
    if (isProbing) {
      look()
      true
    } else if (atOnce.hasNext) {
      giveUnmatched(Side.R, atOnce.next())
      true
    } else {
      val unmatchable = arrivals.left.unmatchableNow
      val hasUnmatchable = unmatchableAt < unmatchable.size
      val hasProbe = probe + 1 < probes.size
      if (hasUnmatchable && !(hasProbe && nextTime <= timeOfLeft(unmatchable(unmatchableAt)))) {
        giveUnmatched(Side.R, unmatchable(unmatchableAt))
        unmatchableAt += 1
        true
      } else if (hasProbe) {
        begin()
        true
      } else false
    }

  private[this] def timeOfLeft(row: UnsafeRow) = arrivals.left.inOrder.timeOf(row)

  private[this] def nextTime = timeOfLeft(probes(probe + 1).row)

  private[this] def begin(): Unit = {
    terms(1) = nextTime
    probe += 1
    terms(0) = probeKeys(probe).toLong
    lookup.start(terms)
    isProbing = true
    found = 0
  }

  private[this] def look(): Unit = {
    val next = if (found < probing.most) lookup.next() else -1
    if (next < 0) {
      isProbing = false
      if (found == 0 && probing.unmatched) giveUnmatched(Side.R, probes(probe).row)
    } else {
      val right = candidates(index.order(next))._2.row
      if (holds(right)) {
        found += 1
        if (probing.pairs || !probing.unmatched) give(probes(probe).row, right)
        if (!probing.pairs) isProbing = false
      }
    }
  }

  private[this] def holds(right: UnsafeRow): Boolean = {
    if ((lookup.comparisons & NearestBatch.Patience) == 0) services.waiting()
    condition == null || condition.eval(pair(probes(probe).row, right))
  }
}

private[scalegate] object NearestBatch {

  /** Rows that are looked at, less one, a power of two, between two calls of `waiting`. */
  final private val Patience = (1L << 12) - 1
}
