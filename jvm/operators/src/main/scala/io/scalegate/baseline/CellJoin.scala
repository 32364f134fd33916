package io.scalegate.baseline

import java.util.concurrent.atomic.AtomicLong

import io.scalegate.column.WindowProbe
import io.scalegate.join.ordered.{OrderedJoin, PairCondition, ReadyInput}
import io.scalegate.join.{JoinOptions, JoinSpec, JoinStrategy, RunningJoin, WorkerMetrics}
import io.scalegate.stream.{Side, Sides, StreamTuple}

/** CellJoin (Gedik, Bordawekar, Yu, VLDB Journal 2009, §4; DP-Join §III-A): one thread keeps the
  * windows, and each probe's part of a window is cut into as many equal segments as there are
  * threads, anew for each tuple, so the load is even whatever the rates.
  *
  * The Cell's coordinating core is the first of the threads here, and takes a segment too. Results
  * come in order.
  *
  * @param batch
  *   tuples for which the windows are partitioned at a time, before all threads search them; more
  *   for fewer hand-overs
  */
final class CellJoin(threads: Int, batch: Int = CellJoin.Batch) extends JoinStrategy {
  require(threads > 0, s"a join needs at least one thread, not $threads")
  require(batch > 0, s"a batch needs at least one tuple, not $batch")

  def name: String = s"CellJoin($threads)"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningJoin = {
    val join = new RunningCellJoin(spec, sources, options, threads, batch)
    join.start()
    join
  }
}

object CellJoin {
  val Batch: Int = 32
}

final private class RunningCellJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    threads: Int,
    batch: Int
) extends OrderedJoin(spec, sides, options, threads) {
  /*
   *   window of S       dropped   first                      until
   *   for one r            |        |  thread 0 | thread 1 | ...  |
   *
   * In turns: the coordinator takes up to `batch` ready tuples into the windows, writes down how
   * far each reaches, and publishes the batch; every thread searches its segment for each tuple of
   * the batch; the coordinator waits for all. Rows leave the columns between two batches only.
   *
   * A thread's segments follow each other in the window and its tuples in the input, so its
   * results are in order; those of different threads are put in order by the output gate. A thread
   * that has done its part of a batch promises the batch's last tuple; a heartbeat comes when all
   * have done theirs, and holds for all. So a thread that waits for
   * room in the output is not held back by those that wait for the next batch.
   *
   * Memory order: `published` is written (volatile) after the batch and the windows, `done` (a
   * release) after the last read of them, and read (acquire) by the coordinator before it writes
   * to them again.
   */
  private[this] val cells = new CellBatch(batch)
  private[this] val windows = Sides(Side.R, Side.S).map(
    new NumberedWindow(_, spec, spec.bands.map(_.attribute), options.maxWindowRows)
  )
  private[this] val done = Vector.fill(threads)(new AtomicLong)
  @volatile private[this] var published = 0L
  @volatile private[this] var heartbeat: StreamTuple = _
  @volatile private[this] var ended = false

  protected val workers: Vector[Worker] =
    Vector.tabulate(threads)(i => if (i == 0) new Coordinator else new Cell(i))

  /** A thread that searches segments. */
  private[this] class Cell(share: Int) extends Worker(share) {
    private[this] val probes = windows.map(w => new WindowProbe(w.columns))
    private[this] var condition: PairCondition = _
    private[this] var matches = 0L
    private[this] var heard: StreamTuple = _

    protected def makeSteps(): Unit = condition = new PairCondition(spec)

    def isFinished: Boolean = ended

    protected def measured: WorkerMetrics =
      WorkerMetrics(probes.left.comparisons + probes.right.comparisons, matches, 0, 0)

    protected def work(): Boolean = {
      val n = published
      val isNew = n > done(share).getPlain
      if (isNew) {
        searchAll()
        done(share).setRelease(n)
      }
      isNew || hear()
    }

    /** Passes what all may pass, and says whether it was anything new. */
    final protected def hear(): Boolean = {
      val now = heartbeat
      val isNew = now ne heard
      if (isNew) {
        heard = now
        pass(now)
      }
      isNew
    }

    final protected def searchAll(): Unit = {
      var i = 0
      while (i < cells.size) {
        search(i)
        pass(cells.tuple(i))
        i += 1
      }
      promise()
    }

    private[this] def search(i: Int): Unit = {
      val t = cells.tuple(i)
      val window = windows(t.side.opposite)
      val probe = probes(t.side.opposite)
      val from = cells.first(i) - window.dropped
      val rows = cells.until(i) - cells.first(i)
      val least = (from + rows * share / threads).toInt
      val end = (from + rows * (share + 1) / threads).toInt
      val found = if (least < end) probe.search(least, end, condition.rangesOf(t)) else 0
      var k = 0
      while (k < found) {
        decide(t, probe.row(k).asInstanceOf[StreamTuple])
        k += 1
      }
    }

    private[this] def decide(t: StreamTuple, earlier: StreamTuple): Unit =
      if (condition.accepts(t, earlier)) {
        matches += 1
        emit(t, earlier)
      }
  }

  /** The thread that owns the windows, and searches its segments like the others. */
  final private[this] class Coordinator extends Cell(0) {
    private[this] val input = new ReadyInput(gate.addReader())

    override protected def measured: WorkerMetrics =
      super.measured.copy(
        stored = cells.stored,
        peakWindowRows = windows.left.peak + windows.right.peak
      )

    override protected def work(): Boolean =
      done.forall(_.getAcquire == published) && {
        fill()
        val isNew = cells.size > 0
        if (isNew) {
          val n = published + 1
          published = n
          searchAll()
          done(0).setRelease(n)
        } else if (input.isDone) ended = true
        isNew || hear()
      }

    private[this] def fill(): Unit = {
      windows.left.drop()
      windows.right.drop()
      cells.clear()
      var t = input.next()
      if (t != null && t.isHeartbeat) heartbeat = t
      else
        while (t != null) {
          cells.add(t, windows(t.side.opposite), windows(t.side))
          t = if (cells.size < batch) input.tuple() else null
        }
    }
  }
}
