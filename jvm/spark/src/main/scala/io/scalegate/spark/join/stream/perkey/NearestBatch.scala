package io.scalegate.spark.join.stream.perkey

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}

import io.scalegate.lookup.NearestIndex
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.task.{BatchServices, StreamBatch}
import io.scalegate.stream.{Side, Sides}

/** The rows that one batch adds to an as-of join of two streams, in one partition: each left row whose answer is final by
  * the batch's watermark, in the order of their times, with the nearest right rows of its key.
  *
  * One thread, the task's. It holds an index of the right rows of the keys that such left rows have.
  *
  * @param conditionOf
  *   these pairs, which are all that may be tested, in their order
  * @param before
  *   what was held; nothing of it is changed
  */
final private[scalegate] class NearestBatch(
    probing: Probing,
    nearest: NearestPerKey,
    arrivals: Sides[KeyedArrivals],
    conditionOf: Iterator[InternalRow] => PairCondition,
    before: AnswerState,
    eventTimes: Sides[Int],
    batch: StreamBatch,
    services: BatchServices
) extends AnswerBatch(nearest.reach, arrivals, before, eventTimes, batch, services) {
  private[this] val atOnce = arrivals.left.unmatchable
  private[this] val pair = new JoinedRow

  private[this] val numbers = mutable.HashMap.empty[UnsafeRow, Int] // of the left rows' keys
  private[this] val probes = arrivals.left.now
  private[this] val probeKeys = probes.map(row => numberOf(arrivals.left.keyOf(row.row)))
  private[this] val candidates = ofKeys()
  private[this] val index = indexOf(candidates)
  private[this] val lookup = index.lookup()
  private[this] val condition = conditionOf(pairs)
  private[this] val terms = new Array[Long](2) // the number of a probe's key, and its time
  private[this] var probe = -1
  private[this] var found = 0 // right rows of the probe row's
  private[this] var isProbing = false
  private[this] var unmatchableAt = 0

  def comparisons: Long = lookup.comparisons

  private[this] def numberOf(key: UnsafeRow): Int =
    numbers.getOrElse(
      key, {
        numbers(key.copy()) = numbers.size
        numbers.size - 1
      }
    )

  /** The right rows of the left rows' keys, each with the number of its key. */
  private[this] def ofKeys(): Vector[(Int, KeyedRow)] = {
    val rows = Vector.newBuilder[(Int, KeyedRow)]
    numbers.foreach { case (key, number) => rightRows(key).foreach(rows += number -> _) }
    rows.result()
  }

  private[this] def indexOf(rows: Vector[(Int, KeyedRow)]) = NearestIndex(
    nearest.by,
    Side.S,
    Some(rows.iterator.map(_._1.toLong).toArray),
    rows.iterator.map(_._2.time).toArray,
    Integer.compare(_, _) // a key's rows are in their order
  )

  /** Of all left rows with all right rows in reach, in their order. */
  private[this] def pairs: Iterator[InternalRow] = {
    val (all, other, keyAndTime) = (index.lookup(), new JoinedRow, new Array[Long](2))
    probes.indices.iterator.flatMap { p =>
      keyAndTime(0) = probeKeys(p).toLong
      keyAndTime(1) = probes(p).time
      all.start(keyAndTime)
      Iterator.continually(all.next()).takeWhile(_ >= 0).map { n =>
        other(probes(p).row, rightRow(n))
      }
    }
  }

  private[this] def rightRow(number: Int) = candidates(index.order(number))._2.row

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

  private[this] def nextTime = probes(probe + 1).time

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
      end()
      if (found == 0 && probing.unmatched) giveUnmatched(Side.R, probes(probe).row)
    } else {
      val right = rightRow(next)
      if (holds(right)) {
        found += 1
        if (probing.pairs || !probing.unmatched) give(probes(probe).row, right)
        if (!probing.pairs) end()
      }
    }
  }

  /** The right rows that are left are not looked at. */
  private[this] def end(): Unit = {
    isProbing = false
    if (condition.asksPython) {
      var next = lookup.next()
      while (next >= 0) {
        condition.pass(pair(probes(probe).row, rightRow(next)))
        next = lookup.next()
      }
    }
  }

  private[this] def holds(right: UnsafeRow): Boolean = {
    if ((lookup.comparisons & NearestBatch.Patience) == 0) services.waiting()
    condition.holds(pair(probes(probe).row, right))
  }
}

private[scalegate] object NearestBatch {

  /** Rows that are looked at, less one, a power of two, between two calls of `waiting`. */
  final private val Patience = (1L << 12) - 1
}
