package io.scalegate.indexjoin

import java.util.concurrent.atomic.AtomicBoolean

import io.scalegate.join.ordered.GatedJoin
import io.scalegate.join.{ElasticJoin, JoinMetrics, JoinOptions, JoinResult, JoinSpec, Staff}
import io.scalegate.stream.{Side, Sides, Work}

/** @param windows
  *   one and the same for both sides where a stream is joined with itself
  * @param newKeys
  *   makes what a thread asks the indexes with
  */
final private class RunningParallelIndexJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    windows: Sides[IndexJoinSharedWindow],
    taskSize: Int,
    newKeys: () => IndexKeys
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
   * A stream that is joined with itself is S, and its one window, which is that of both sides, is R's:
   * a tuple's boundary in it is recorded before the tuple enters it, and lies before the tuple.
   *
   * Memory order: see IndexJoinQueue. Rows are written under the lock of `acquire`, and a thread
   * searches only what was written before its own task was recorded under that lock.
   */
  private[this] val queue = new IndexJoinQueue(gate.addReader(), windows, options.outputCapacity)
  private[this] val merging = new AtomicBoolean
  private[this] val resizing = new Object

  /** Written by who holds `resizing`. */
  @volatile private[this] var staff =
    new Staff[Worker](Vector.empty, _.isLeaving, _.counters.metrics(0L))
  private[this] var hired = 0

  protected def take(): JoinResult = queue.poll()

  protected def isExhausted: Boolean = queue.isDone

  protected def reached: Long = queue.frontier

  /** Those that have left, and ended, count as one thread, the last. */
  def metrics: JoinMetrics = {
    val all = staff.metrics
    val peak = windows.toSeq.distinct.map(_.peak.toLong).sum // the windows are shared
    JoinMetrics(all.updated(0, all.head.copy(peakWindowRows = peak)))
  }

  override def details: Seq[(String, Double)] = IndexJoin.merges(windows.map(_.index))

  def threads: Int = staff.present.size

  def resize(threads: Int): Unit = resizing.synchronized {
    require(threads > 0, s"a join needs at least one thread, not $threads")
    ending.throwIfStopped()
    staff = staff.withoutEnded
    val staying = staff.present
    staying.drop(threads).foreach(_.leave())
    for (_ <- staying.size until threads) {
      val worker = new Worker(hired)
      ownThreads.join(worker) // before it is one of them: one that cannot start is none
      hired += 1
      staff = staff + worker
    }
  }

  override def close(): Unit = resizing.synchronized(super.close())

  final private[this] class Worker(id: Int) extends Work(s"scalegate-join-$id") {
    val counters = new IndexJoinCounters
    private[this] val task = new IndexJoinTask
    private[this] var worker: IndexJoinWorker = _

    override def prepare(): Unit =
      worker = new IndexJoinWorker(spec, newKeys(), windows, merging, counters)

    def isFinished: Boolean = queue.isExhausted

    def step(): Boolean = queue.acquire(taskSize, task) && {
      worker.process(task, queue)
      true
    }
  }
}
