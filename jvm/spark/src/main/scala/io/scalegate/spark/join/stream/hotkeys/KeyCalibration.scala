package io.scalegate.spark.join.stream.hotkeys

import scala.collection.mutable

import io.scalegate.partition.{KeyAssignment, KeySplit, SplitChoice}
import io.scalegate.stream.Side

/** What the rows of one or more batches say of a join's keys: a calibration period of PPOIJ §4.3. One thread.
  *
  * A key's load is what its rows take, and the comparisons among them, of which it is taken to have the share that its
  * pairs of rows are of all pairs.
  *
  * @param partitions
  *   of the join
  * @param decided
  *   the side whose rows may not be copied, if it is not for the rows' numbers to say
  */
final private[spark] class KeyCalibration(partitions: Int, decided: Option[Side]) {
  import KeyCalibration._

  private[this] val counts = mutable.HashMap.empty[Int, Counts]
  private[this] var left = 0L
  private[this] var right = 0L
  private[this] var comparisons = 0L

  /** Takes note of a batch. */
  def add(left: Iterable[FrequentKeys], right: Iterable[FrequentKeys], compared: Long): Unit = {
    left.foreach(add(Side.R, _))
    right.foreach(add(Side.S, _))
    comparisons += compared
  }

  /** Whether enough was seen. */
  def isDone: Boolean = rows >= LeastRows

  /** The partitions that each key ought to have beside its home, by Algorithm 1. A key keeps those that it has until it
    * is far from hot.
    *
    * @param theta
    *   the highest load of a partition over the average that is left alone
    */
  def wanted(present: HotKeys, theta: Double): Map[Int, Seq[Int]] = {
    val found = counts.toVector.filter { case (key, c) =>
      val share = loadOf(c) * partitions / total
      if (present.keys.contains(key)) share >= Cold else share >= Hot && c.all >= SeenRows
    }.sortBy(_._1)
    val keys = found.map(_._1)
    val plan =
      split(keys, found.map(c => loadOf(c._2)), present.single.getOrElse(single), theta)
    keys.indices.flatMap { i =>
      val known = present.keys.getOrElse(keys(i), Vector.empty).map(_.partition)
      val more = plan.replicasOf(i).tail.filterNot(known.contains)
      val all = known ++ more.take(plan.degree(i) - 1 - known.length)
      if (all.isEmpty) None else Some(keys(i) -> all)
    }.toMap
  }

  /** The side whose rows are not to be copied: of an inner join's that of which more have come. */
  def single: Side = decided.getOrElse(if (left >= right) Side.R else Side.S)

  private[this] def add(side: Side, frequent: FrequentKeys): Unit = {
    if (side eq Side.R) left += frequent.rows else right += frequent.rows
    for (i <- frequent.keys.indices)
      counts.getOrElseUpdate(frequent.keys(i), new Counts).add(side, frequent.counts(i))
  }

  /** No key so often that there are more copies than rows. */
  private[this] def split(
      keys: Seq[Int],
      loads: Seq[Double],
      single: Side,
      theta: Double
  ): KeyAssignment = {
    def plan(most: Int) = {
      val others = math.max(0, total - loads.sum) / partitions
      new KeySplit(partitions, theta, most, SplitChoice.Busiest).rebalance(
        loads.toArray,
        keys.map(Math.floorMod(_, partitions)).toArray,
        Array.fill(partitions)(others)
      )
    }
    val free = plan(partitions)
    val copied =
      keys.indices.filter(free.degree(_) > 1).map(i => counts(keys(i)).rows(single.opposite)).sum
    val most = 1 + rows / math.max(1L, copied)
    if (most >= partitions) free else plan(math.max(2, most.toInt))
  }

  private[this] lazy val pairs = counts.valuesIterator.map(_.pairs).sum

  private[this] def rows = left + right

  private[this] def total = rows * RowLoad + comparisons

  private[this] def loadOf(c: Counts): Double =
    c.all * RowLoad + (if (pairs == 0) 0 else comparisons * (c.pairs / pairs))
}

private[spark] object KeyCalibration {

  /** Rows of both sides that a calibration takes. */
  private[spark] val LeastRows = 8192L

  /** Of the key: fewer are chance. */
  private val SeenRows = 64

  /** Of a partition's even share of all, what makes a key one to be looked at; and what makes it one no more. */
  private val Hot = 0.25
  private val Cold = 0.05

  /** What it takes to exchange, keep, order and probe with a row, in comparisons. */
  private val RowLoad = 32.0

  /** The rows of one key that were counted, by sides. */
  final private class Counts {
    var left = 0L
    var right = 0L

    def add(side: Side, rows: Long): Unit =
      if (side eq Side.R) left += rows else right += rows

    def rows(side: Side): Long = if (side eq Side.R) left else right
    def all: Long = left + right
    def pairs: Double = left.toDouble * right
  }
}
