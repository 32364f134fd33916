package io.scalegate.baseline

import java.util.concurrent.atomic.AtomicLong
import java.util.{ArrayList, Iterator}

import io.scalegate.band.IntegralBand
import io.scalegate.join.ordered.{OrderedJoin, PairCondition, ReadyInput}
import io.scalegate.join.{JoinOptions, JoinSpec, JoinStrategy, RunningJoin, WorkerMetrics}
import io.scalegate.stream.{EventOrder, Side, Sides, StreamTuple}

/** Scale-OIJ (Zhang et al., ICDE 2023; PPOIJ §5.3 and §6), the interval join with shared buffers: a
  * tuple goes to one joiner, which keeps it by key and time where all joiners can read it, and
  * which finds its pairs in the buffers of all joiners of its key's team. Heavy keys have larger
  * teams (see `ScaleOijSchedule`).
  *
  * The key is the first band of width zero on integers; the other bands are tested on what the key
  * and the window let through. A join without such a band has one key. Results come in order.
  *
  * The original answers out-of-order tuples up to a lateness; here the input gate puts them in
  * order. Its incremental aggregation over a window is no part of a join.
  */
final class ScaleOij(threads: Int) extends JoinStrategy {
  require(threads > 0, s"a join needs at least one thread, not $threads")

  def name: String = s"Scale-OIJ($threads)"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningJoin = {
    val join = new RunningScaleOij(spec, sources, options, threads)
    join.start()
    join
  }
}

final private class RunningScaleOij(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    threads: Int
) extends OrderedJoin(spec, sides, options, threads) {
  /*
   *                   joiner 0            joiner 1
   *   key 7       | 3  9  12  20 |     | 5  8  13 |       a tuple of key 7 reads both,
   *   key 8       | 1  2         |     |          |       from its window's start to its end
   *
   * Every joiner reads all ready tuples, numbers them, and in turns of a few
   *   1. stores those that the schedule gives it, and says how far it has stored;
   *   2. for each of them waits until the others have stored everything before it, reads the
   *      buffers, and sorts what it found by age.
   * So the later tuple of a pair finds the earlier one, which is certain to be there, and leaves
   * out what is later than itself, which may be there: each pair comes out once.
   *
   * It does not lock up. A joiner waits, in step 2, for another to store what comes before a
   * tuple t. That one may be waiting for room in the output, for a result before t; the first has
   * promised there that nothing before t is to come, as have all that wait like it. So of the
   * results that wait for room the lowest is ready.
   *
   * Removal. A joiner removes its own rows once they have left the window of the slowest joiner's
   * tuple: nobody reads them any more.
   *
   * Memory order: a row is stored before `storedUntil` is (release), and read after that was
   * (acquire); rows are read before `readUntil` is stored (release), and removed after that was
   * read (acquire). The maps are the JDK's skip lists, written by one thread here.
   */
  private[this] val key = spec.bands.indexWhere {
    case IntegralBand(_, 0, 0) => true
    case _ => false
  }
  private[this] val storedUntil = Vector.fill(threads)(new AtomicLong)
  private[this] val readUntil = Vector.fill(threads)(new AtomicLong)
  private[this] val buffers =
    Sides(Side.R, Side.S).map(_ => Vector.fill(threads)(new TimeTravelBuffer))

  protected val workers: Vector[Worker] = Vector.tabulate(threads)(new Joiner(_))

  private[this] def keyOf(t: StreamTuple): Long = if (key < 0) 0L else t.attrs(key)

  final private[this] class Joiner(share: Int) extends Worker(share) {
    private[this] val input = new ReadyInput(gate.addReader())
    private[this] val schedule = new ScaleOijSchedule(threads)
    private[this] val shares = Sides(Side.R, Side.S).map(side =>
      new OijShare(side, spec, buffers(side)(share), options.maxWindowRows)
    )
    private[this] val turn = new Array[OijProbe](RunningScaleOij.Turn)
    private[this] val candidates = new ArrayList[StreamTuple]
    private[this] val team = ownThreads.waiting()
    private[this] var condition: PairCondition = _
    private[this] var last: StreamTuple = _
    private[this] var read = 0L
    private[this] var compared = 0L
    private[this] var matches = 0L

    protected def makeSteps(): Unit = condition = new PairCondition(spec)

    def isFinished: Boolean = input.isDone

    protected def measured: WorkerMetrics = {
      val r = shares.left
      val s = shares.right
      WorkerMetrics(compared, matches, r.stored + s.stored, r.peak.toLong + s.peak)
    }

    protected def work(): Boolean = {
      val before = last
      val mine = store()
      storedUntil(share).setRelease(read)
      var i = 0
      while (i < mine) {
        awaitTeam(turn(i))
        probe(turn(i))
        turn(i) = null
        i += 1
      }
      readUntil(share).setRelease(read)
      (last ne before) && {
        pass(last)
        removeRead()
        true
      }
    }

    /** Reads the tuples of a turn, or a heartbeat, stores its own, and returns how many it is to probe with. */
    private[this] def store(): Int = {
      var mine = 0
      var t = input.next()
      if (t != null && t.isHeartbeat) {
        last = t
        t = null
      }
      while (t != null) {
        val own = shares(t.side)
        val opposite = shares(t.side.opposite)
        val until = opposite.window.reach(t)
        val isMine = schedule.assign(keyOf(t)) == share
        if (isMine) {
          val team = schedule.team(keyOf(t))
          turn(mine) = new OijProbe(t, last, read, opposite.window.first, until, team)
          mine += 1
        }
        own.take(t, keyOf(t), isMine, read)
        last = t
        read += 1
        t = if (read % RunningScaleOij.Turn == 0) null else input.tuple()
      }
      mine
    }

    /** Waits until the team has stored all tuples before the probe's. */
    private[this] def awaitTeam(p: OijProbe): Unit =
      if (!isStored(p)) {
        if (p.before != null) pass(p.before)
        promise()
        team.until(isStored(p))
      }

    private[this] def isStored(p: OijProbe): Boolean =
      p.team.forall(storedUntil(_).getAcquire >= p.number)

    private[this] def probe(p: OijProbe): Unit = if (p.first < p.until) {
      val opposite = buffers(p.tuple.side.opposite)
      val ranges = condition.rangesOf(p.tuple)
      p.team.foreach(j => search(opposite(j).rows(keyOf(p.tuple), p.first, p.until), ranges))
      if (p.team.size > 1) candidates.sort((a, b) => EventOrder.Tuples.compare(a, b))
      candidates.forEach { earlier =>
        if (condition.accepts(p.tuple, earlier)) {
          matches += 1
          emit(p.tuple, earlier)
        }
      }
      candidates.clear()
    }

    private[this] def search(rows: Iterator[StreamTuple], ranges: Array[Long]): Unit =
      while (rows.hasNext) {
        val t = rows.next()
        compared += 1
        if (isIn(t, ranges)) candidates.add(t)
      }

    private[this] def isIn(t: StreamTuple, ranges: Array[Long]): Boolean = {
      var i = 0
      while (
        2 * i < ranges.length && ranges(2 * i) <= t.attrs(i) && t.attrs(i) <= ranges(2 * i + 1)
      )
        i += 1
      2 * i == ranges.length
    }

    /** Removes what every joiner has read for the last time. */
    private[this] def removeRead(): Unit = {
      val slowest = readUntil.map(_.getAcquire).min
      shares.left.removeRead(read, slowest)
      shares.right.removeRead(read, slowest)
    }
  }
}

private object RunningScaleOij {

  /** Tuples that a joiner reads at a time. */
  val Turn = 32
}
