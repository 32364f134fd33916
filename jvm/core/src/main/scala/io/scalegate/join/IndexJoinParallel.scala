package io.scalegate.join

import java.util.concurrent.atomic.AtomicBoolean

import io.scalegate.index.ConcurrentSlidingIndex
import io.scalegate.stream.Side

/** The parallel index-based window join (PIM-Tree §4): threads take tasks of a few tuples each
  * from a shared queue, share the windows and their indexes, and may join and leave while it
  * runs. Results come out in the order of [[ResultOrder]].
  *
  * @param newIndex
  *   makes an empty index for a window that is expected to hold so many tuples
  * @param taskSize
  *   tuples that a thread takes at a time: more for throughput, fewer for latency
  * @param band
  *   the number of the band that the indexes lie on
  * @param timeWindowRows
  *   the tuples that a window in time is expected to hold of one stream; a lower bound will do
  */
final class ParallelIndexJoin(
    threads: Int,
    newIndex: Int => ConcurrentSlidingIndex,
    taskSize: Int = ParallelIndexJoin.TaskSize,
    band: Int = 0,
    timeWindowRows: Int = IndexJoin.TimeWindowRows
) extends JoinStrategy {
  require(threads > 0, s"a join needs at least one thread, not $threads")
  require(taskSize > 0, s"a task needs at least one tuple, not $taskSize")

  def name: String = s"parallel index join($threads) over ${newIndex(timeWindowRows).name}"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): ElasticJoin = {
    IndexJoin.requireBand(Some(band), spec)
    val rows = WindowBounds.expectedRows(spec.window, timeWindowRows)
    val index = () => if (spec.bands.isEmpty) null else newIndex(rows)
    val join = new RunningParallelIndexJoin(spec, sources, options, index, taskSize, band)
    join.resize(threads)
    join
  }
}

object ParallelIndexJoin {

  /** The paper's (§5.2). */
  val TaskSize: Int = 8
}

/** A running join whose threads may join and leave. */
trait ElasticJoin extends RunningJoin {

  /** The threads that take tasks. */
  def threads: Int

  /** Sets their number. Those that leave finish the task they hold; it does not wait for them. Any
    * thread.
    */
  def resize(threads: Int): Unit
}

final private class RunningParallelIndexJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    newIndex: () => ConcurrentSlidingIndex,
    taskSize: Int,
    band: Int
) extends GatedJoin(spec, sides, options)
    with ElasticJoin {
  /*
   *    sources       gate        work queue                threads                    consumer
   *
   *    R --tryAdd--> sorted, --> assigned in tasks, --> look up, scan, --> results --> poll
   *    S --tryAdd--> ready       boundaries recorded    index, move edge   in order
   *                                  |                        |
   *                                  +---- windows, indexes --+
   *
   * A thread's round (§4.1):
   *   1. Task acquisition. It takes up to `taskSize` ready tuples; each enters the queue and its
   *      window, and its boundaries in the opposite window are recorded (see IndexJoinQueue).
   *   2. Result generation. For each tuple: it reads the edge tuple of the opposite window, finds
   *      in the index what lies before the edge and within the boundaries, and scans the rows from
   *      the edge to the boundary. Each row is met once: one before the edge had been inserted when
   *      the search began, one behind it is left out of the search's answer.
   *   3. Index update. It inserts the tuple into its own stream's index, marks it, and moves the
   *      edge unless another thread is at it.
   *   4. Result propagation. The consumer takes the results of the entry at the head of the queue
   *      once it is completed. The paper has the threads push them on, under another lock; here
   *      none waits for the consumer or holds a lock for it.
   *   5. After a task: expiry in bulk, and the merge of an index for which that is due, by one
   *      thread at a time for both indexes. The others go on meanwhile, insertions included (see
   *      ConcurrentPimTree), so the edge moves on and scans stay short; the paper's threads do
   *      without index updates during a merge. A join of one thread merges between two tasks.
   *
   * Progress: no thread waits for one that holds a task, so one may be slow or leave between two.
   * The queue fills behind a thread that is stopped in the middle of a task: at most its capacity.
   *
   * Memory order: see IndexJoinQueue. Rows are written under the lock of `acquire`, and a thread
   * searches only what was written before its own task was recorded under that lock.
   */
  private[this] val r = new IndexJoinSharedWindow(Side.R, spec, newIndex(), options.maxWindowRows)
  private[this] val s = new IndexJoinSharedWindow(Side.S, spec, newIndex(), options.maxWindowRows)
  private[this] val queue = new IndexJoinQueue(gate.addReader(), r, s, options.outputCapacity)
  private[this] val merging = new AtomicBoolean
  private[this] val lifecycle = new Object
  @volatile private[this] var workers = Vector.empty[Worker] // all that ever were

  def poll(): JoinResult = {
    throwIfFailed()
    queue.poll()
  }

  def isDone: Boolean = queue.isDone && !hasFailed

  def frontier: Long = {
    throwIfFailed()
    queue.frontier
  }

  def metrics: JoinMetrics = JoinMetrics(workers.zipWithIndex.map { case (w, i) =>
    w.counters.metrics(if (i == 0) r.peak.toLong + s.peak else 0L) // the windows are shared
  })

  def threads: Int = workers.count(!_.isLeaving)

  def resize(threads: Int): Unit = lifecycle.synchronized {
    require(threads > 0, s"a join needs at least one thread, not $threads")
    throwIfFailed()
    if (isStopped) throw new IllegalStateException("the join is closed")
    val staying = workers.filterNot(_.isLeaving)
    staying.drop(threads).foreach(_.leave())
    val joining = Vector.tabulate(threads - staying.size)(i => new Worker(workers.size + i))
    workers = workers ++ joining
    joining.foreach(_.start())
  }

  override def close(): Unit = lifecycle.synchronized {
    super.close()
    awaitEnd(workers)
  }

  final private[this] class Worker(id: Int) extends Thread(s"scalegate-join-$id") {
    val counters = new IndexJoinCounters
    private[this] val idle = options.idle()
    private[this] val task = new IndexJoinTask
    @volatile private[this] var leaving = false

    setDaemon(true)

    def isLeaving: Boolean = leaving

    def leave(): Unit = leaving = true

    override def run(): Unit =
      try {
        val worker = new IndexJoinWorker(spec, band, r, s, merging, counters)
        while (!leaving && !isStopped && !queue.isExhausted)
          if (queue.acquire(taskSize, task)) {
            idle.reset()
            worker.process(task, queue)
          } else idle.idle()
      } catch {
        case e: Throwable => fail(e)
      }
  }
}
