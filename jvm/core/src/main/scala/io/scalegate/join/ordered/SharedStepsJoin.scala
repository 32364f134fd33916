package io.scalegate.join.ordered

import io.scalegate.gate.GateSource
import io.scalegate.join.{ElasticJoin, JoinMetrics, JoinOptions, JoinSpec, Staff, WorkerMetrics}
import io.scalegate.stream.{Side, StreamTuple}

/** Threads that each read every ready tuple and take the three steps over their share of it. Their
  * number may change while they run.
  *
  * @param window
  *   makes one thread's share of a side's window, empty, on that thread
  */
abstract private[scalegate] class SharedStepsJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    threadsAtFirst: Int,
    window: Side => SearchedWindow
) extends OrderedJoin(spec, sides, options, threadsAtFirst)
    with ElasticJoin {
  /*
   * A change of the threads (STRETCH: Gulisano et al., IEEE TPDS 2022) is an element of the input
   * gate, a [[Sharing]], and so comes at the same place of the order in every thread. From there on
   * turns are those of the new threads. No row moves: a thread that leaves stores nothing any more
   * and goes on comparing until what it has stored has expired; then it ends. So each pair is still
   * found by the one thread that stored its earlier tuple. Of a window without an end in time
   * nothing expires, and a thread that leaves stays.
   *
   *      threads 0, 1           | sharing |          threads 0, 1, 2
   *      turns 0 1 0 1 0 1 0 1  |         |  0 1 2 0 1 2 0 1 2           of either stream
   *
   * The element's place. A source is added to the input gate for it, above what readers have read,
   * which holds back all that comes after that. Meanwhile the new threads become readers of the input
   * gate and sources of the output: nothing after the sharing has been read in either. Then the
   * source delivers the sharing, at the first time above its own place, and closes. A new thread
   * reads, and passes over, what comes before.
   *
   * A thread that has ended has closed its reader and its lane, so nobody waits for it.
   */
  private[this] val resizing = new Object
  private[this] var hired = threadsAtFirst
  private[this] var sharings = 0L

  /** Written by who holds `resizing`. */
  @volatile private[this] var staff =
    new Staff[ProcessingThread](
      Vector.tabulate(threadsAtFirst)(new ProcessingThread(_, null)),
      _.isRetired,
      _.metrics
    )

  final protected def workers: Vector[Worker] = staff.workers

  final override def metrics: JoinMetrics = JoinMetrics(staff.metrics)

  final def threads: Int = staff.present.size

  final def resize(threads: Int): Unit = resizing.synchronized {
    require(threads > 0, s"a join needs at least one thread, not $threads")
    ending.throwIfStopped()
    staff = staff.withoutEnded
    if (threads != this.threads) {
      val source = sourceOfSharing()
      if (source != null)
        try share(source, threads)
        finally source.close()
    }
  }

  final override def close(): Unit = resizing.synchronized(super.close())

  /** Null once nothing comes any more. */
  private[this] def sourceOfSharing(): GateSource[StreamTuple] =
    try gate.addSource("resize")
    catch { case _: IllegalStateException if gate.isFinished => null }

  private[this] def share(source: GateSource[StreamTuple], threads: Int): Unit =
    if (source.promisedTime < Long.MaxValue) {
      sharings += 1
      val sharing = new Sharing
      val (staying, leaving) = staff.present.splitAt(threads)
      try for (_ <- staying.size until threads) hire(sharing)
      finally {
        leaving.foreach(_.retire())
        sharing.numbers = staff.present.map(_.number)
        val time = if (source.promised.isEmpty) Long.MinValue else source.promisedTime + 1
        source.tryAdd(StreamTuple.control(time, sharings, sharing))
      }
    }

  private[this] def hire(sharing: Sharing): Unit = {
    val worker =
      try new ProcessingThread(hired, sharing)
      catch { // the output has ended, by a failure
        case e: IllegalStateException =>
          ending.throwIfStopped()
          throw e
      }
    try ownThreads.join(worker) // before it is one of them: one that cannot start is none
    catch {
      case e: Throwable =>
        worker.dismiss()
        throw e
    }
    hired += 1
    staff = staff + worker
  }

  /** `PT` of ScaleJoin's Algorithm 1.
    *
    * @param first
    *   the sharing that it takes part from; null for the beginning
    */
  final private[this] class ProcessingThread(val number: Int, first: Sharing)
      extends Worker(number, isNew = first != null) {
    private[this] val reader = gate.addReader()
    private[this] val input = new ReadyInput(reader)
    private[this] var steps: ThreeSteps = _
    private[this] var takesPart = first == null
    private[this] var leaves = false
    @volatile private[this] var retired = false

    /** Whether it leaves with the next sharing. Any thread. */
    def isRetired: Boolean = retired

    def retire(): Unit = retired = true

    /** Where its thread has not begun. */
    def dismiss(): Unit = {
      reader.close()
      end()
    }

    protected def makeSteps(): Unit =
      steps = new ThreeSteps(spec, number, threadsAtFirst, window, this)

    protected def work(): Boolean = {
      val t = input.next()
      if (t != null) {
        if (t.isHeartbeat) takeSharing(t) else if (takesPart) steps.step(t)
        pass(t)
      }
      t != null
    }

    private[this] def takeSharing(heartbeat: StreamTuple): Unit = heartbeat.row match {
      case sharing: Sharing =>
        if (sharing eq first) takesPart = true
        if (takesPart) {
          val share = sharing.numbers.indexOf(number)
          leaves = share < 0
          steps.share(share, sharing.numbers.size)
        }
      case _ => ()
    }

    def isFinished: Boolean = input.isDone || (leaves && steps.isEmpty)

    override def finish(): Unit = if (leaves) reader.close()

    protected def measured: WorkerMetrics = steps.metrics
  }
}

/** From its place in the input on, these threads store the tuples of either stream in turn. */
final private class Sharing {

  /** Their numbers. Written before it is delivered. */
  var numbers: Vector[Int] = Vector.empty
}
