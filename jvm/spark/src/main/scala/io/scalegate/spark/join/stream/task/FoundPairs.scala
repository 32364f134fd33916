package io.scalegate.spark.join.stream.task

import java.util.Arrays

import io.scalegate.join.ordered.{BlockWork, OrderedBlocks}

/** The pairs of a batch, one after the other, in the order of the probe rows. One thread, the task's. */
private[scalegate] trait FoundPairs {

  /** Moves to the next pair; false when there is none. */
  def advance(): Boolean

  /** Of the probe row. */
  def position: Int

  /** Where the row that it found lies, as [[PairFinder]] says. */
  def run: Int
  def number: Int

  /** Rows that were tested against a probe so far. */
  def comparisons: Long

  def close(): Unit
}

private[scalegate] object FoundPairs {

  /** @param finders
    *   one for each thread that looks for pairs; if there is one alone, the caller's own
    * @param waiting
    *   called now and then while other threads have found nothing yet
    */
  def apply(rows: Int, finders: IndexedSeq[PairFinder], waiting: () => Unit): FoundPairs =
    if (finders.length == 1) new OwnPairs(rows, finders.head)
    else new SharedPairs(rows, finders, waiting)
}

/** Pairs that are found when they are asked for, by the thread that asks. */
final private class OwnPairs(rows: Int, finder: PairFinder) extends FoundPairs {
  private[this] var at = -1
  private[this] var k = 0 // of the rows found together
  private[this] var together = 0
  private[this] var theirRun = -1
  private[this] var first = -1 // the first one's number, if the others' follow

  def position: Int = at
  def run: Int = theirRun
  def number: Int = if (first >= 0) first + k else finder.number(k)
  def comparisons: Long = finder.comparisons
  def close(): Unit = ()

  def advance(): Boolean = {
    k += 1
    k < together || findMore()
  }

  private[this] def findMore(): Boolean = {
    k = 0
    together = if (at >= 0 && at < rows) finder.next() else 0
    while (together == 0 && at < rows) {
      at += 1
      if (at < rows) {
        finder.start(at)
        together = finder.next()
      }
    }
    if (together > 0) {
      theirRun = finder.run
      first = if (finder.isRange) finder.number(0) else -1
    }
    together > 0
  }
}

/** Found by threads of their own, each for a block of rows at a time. The threads run from the first pair that is asked
  * for until [[close]]; the task's thread alone calls this.
  */
final private class SharedPairs(rows: Int, finders: IndexedSeq[PairFinder], waiting: () => Unit)
    extends FoundPairs {
  import SharedPairs._

  private[this] val blockRows =
    math.max(1, math.min(MostRows, rows / (finders.length * LeastBlocks)))
  private[this] var blocks: OrderedBlocks[Pairs] = _ // its threads start when pairs are wanted
  private[this] var pairs = new Pairs(0)
  private[this] var at = -1

  def position: Int = pairs.positions(at)
  def run: Int = (pairs.numbers(at) >>> 32).toInt
  def number: Int = pairs.numbers(at).toInt

  /** Complete when all pairs were taken. */
  def comparisons: Long = finders.iterator.map(_.comparisons).sum

  def close(): Unit = if (blocks != null) blocks.close()

  def advance(): Boolean = {
    if (blocks == null) blocks = begun()
    at += 1
    while (pairs != null && at >= pairs.size) {
      pairs = blocks.next(waiting)
      at = 0
    }
    pairs != null
  }

  private[this] def begun() = new OrderedBlocks[Pairs](
    (rows + blockRows - 1) / blockRows,
    finders.map(new PairWork(_, rows, blockRows))
  )
}

private object SharedPairs {

  /** So many blocks for each thread at least, so that all have work to the end. */
  val LeastBlocks = 8

  val MostRows = 256

  /** Some pairs of a block. */
  final class Pairs(room: Int) {
    var positions = new Array[Int](room)
    var numbers = new Array[Long](room)
    var size = 0

    def isFull: Boolean = size == MostPairs

    def add(position: Int, run: Int, number: Int): Unit = {
      if (size == positions.length) {
        val larger = math.min(MostPairs, math.max(16, 2 * size))
        positions = Arrays.copyOf(positions, larger)
        numbers = Arrays.copyOf(numbers, larger)
      }
      positions(size) = position
      numbers(size) = (run.toLong << 32) | number.toLong
      size += 1
    }
  }

  /** Finds the pairs of a block of rows, for one thread. */
  final class PairWork(finder: PairFinder, rows: Int, blockRows: Int) extends BlockWork[Pairs] {
    def run(block: Int, give: Pairs => Unit): Unit = {
      var pairs = new Pairs(0)
      val first = block * blockRows
      for (position <- first until first + math.min(blockRows, rows - first)) {
        finder.start(position)
        var together = finder.next()
        while (together > 0) {
          var k = 0
          while (k < together) {
            pairs.add(position, finder.run, finder.number(k))
            if (pairs.isFull) {
              give(pairs)
              pairs = new Pairs(MostPairs)
            }
            k += 1
          }
          together = finder.next()
        }
      }
      if (pairs.size > 0) give(pairs)
    }
  }

  private val MostPairs = 4096
}
