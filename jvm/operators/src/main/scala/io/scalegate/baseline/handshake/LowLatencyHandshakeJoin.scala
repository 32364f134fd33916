package io.scalegate.baseline.handshake

import io.scalegate.baseline.PunctuatedResults
import io.scalegate.join.ordered.PairCondition
import io.scalegate.join.{
  JoinOptions,
  JoinResult,
  JoinSpec,
  JoinStrategy,
  RunningJoin,
  WorkerMetrics
}
import io.scalegate.stream.{EventOrder, Side, StreamTuple}

/** Low-latency handshake join (Roy, Teubner, Gemulla, PVLDB 2014): handshake join's chain, but a
  * tuple is passed on at once, from one end to the other, and stored on its way at one node, its
  * home, which the tuples of a stream get in turn. A result waits for no later tuple.
  *
  * Results come in order, by the paper's punctuations: the ends of the chain say what has passed
  * them, and the consumer sorts what has been found up to there.
  */
final class LowLatencyHandshakeJoin(threads: Int) extends JoinStrategy {
  require(threads > 0, s"a join needs at least one thread, not $threads")

  def name: String = s"low-latency handshake join($threads)"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningJoin = {
    val join = new RunningLowLatencyHandshakeJoin(spec, sources, options, threads)
    join.start()
    join
  }
}

final private class RunningLowLatencyHandshakeJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    threads: Int,
    linkCapacity: Int = FlowJoin.LinkCapacity
) extends FlowJoin(spec, sides, options, threads, linkCapacity) {
  /*
   * Each pair meets once (§4.2). An R tuple is expedited until it has been at the right end and
   * word of that (FlowSettled) has come back to its home. While it is, it alone looks for its
   * pairs: it meets the S tuples stored at each node, and those in flight; an S tuple that passes
   * its home leaves it out. Afterwards the S tuples that pass its home meet it.
   *
   *   - An S tuple that the right end received after the R tuple travels behind the word, and finds
   *     the R tuple at its home, settled.
   *   - One that the right end received before crosses the R tuple. It has passed the R tuple's
   *     home before the word, so it did not count there. Where it is stored already when the R
   *     tuple comes by, it is found there. Where it is not, the R tuple has passed its home, and
   *     they cross on a link to the right of that: the right node of the link has it in flight
   *     still, for the left node's acknowledgement is behind the R tuple. It is in flight only on
   *     its way to its home, so it is not found twice.
   *
   * Expiry (§4.3). What the windows let go of is told to R's homes by S's flow and the other way
   * round, behind all tuples that may still pair with it. A tuple that comes to its home after that
   * is not stored: the tuples that pair with it have passed the home and cross it elsewhere. So a
   * home holds the window's rows, and for a while those that have left it since the last message
   * of the other flow was put in.
   *
   * Order. When everything up to a tuple has passed both ends, all results with a later tuple up to
   * it have been found, and put into the nodes' rings before that. The consumer reads what has
   * passed, then takes all results, then releases those up to it. Its buffer holds what tuples
   * under way have found, a few links full.
   *
   * It does not lock up: R tuples wait for room to the right only, where the last node always has
   * some; S tuples wait for room to the left, and for acknowledgements, which wait with R tuples.
   */
  @volatile private[this] var endOfR: StreamTuple = _
  @volatile private[this] var endOfS: StreamTuple = _
  protected val nodes: Vector[Core] = Vector.tabulate(threads)(new Core(_))

  private[this] val output = new PunctuatedResults(results)

  protected def take(): JoinResult = {
    if (!output.isReady) {
      val r = endOfR
      val s = endOfS
      if (r == null || s == null) output.gather(null)
      else output.gather(if (EventOrder.Tuples.compare(r, s) < 0) r else s)
    }
    output.poll()
  }

  protected def isExhausted: Boolean = output.isDone

  protected def reached: Long = output.frontier

  final class Core(k: Int) extends Node(k) {
    private[this] var inFlight: FlowInFlight = _
    private[this] var settled = 0L // R tuples before it have been at the right end
    private[this] var told = 0L // those of which the left neighbour knows
    private[this] var received = 0L // S tuples before it have come from the right
    private[this] var acknowledged = 0L
    private[this] var firstR = 0L
    private[this] var firstS = 0L
    private[this] var endedR = false
    private[this] var endedS = false

    override protected def prepare(condition: PairCondition): Unit = {
      super.prepare(condition)
      inFlight = new FlowInFlight(spec, condition, this)
    }

    override protected def measured: WorkerMetrics = {
      val here = super.measured
      here.copy(
        comparisons = here.comparisons + inFlight.comparisons,
        matches = here.matches + inFlight.matches
      )
    }

    def isFinished: Boolean = endedR && endedS

    protected def flow(): Boolean = {
      val tookR = (isLast || toRight.hasRoom(2)) && takeR()
      val tookS = (isFirst || toLeft.hasRoom(2)) && takeS()
      if (!isLast && toRight.hasRoom(1)) acknowledge()
      if (!isFirst && toLeft.hasRoom(1)) tell()
      tookR || tookS
    }

    private[this] def takeR(): Boolean = fromLeft.poll() match {
      case r: FlowTuple =>
        slideS(r)
        ofS.meet(r, ofS.size)
        inFlight.meet(r)
        if (isHome(r) && r.number >= firstR) storeR(r)
        passR(r)
        if (isLast) settled = r.number + 1
        true
      case mark: FlowMark =>
        if (!mark.isEnd) slideS(mark)
        passR(mark)
        endedR = mark.isEnd
        true
      case ack: FlowAck =>
        inFlight.dropBefore(ack.number)
        true
      case _ => false
    }

    private[this] def takeS(): Boolean = fromRight.poll() match {
      case s: FlowTuple =>
        slideR(s)
        ofR.meet(s, ofR.countBefore(settled))
        if (isHome(s) && s.number >= firstS) storeS(s)
        received = s.number + 1
        passS(s)
        if (!isFirst && s.number % threads < k) inFlight.add(s)
        true
      case mark: FlowMark =>
        if (!mark.isEnd) slideR(mark)
        passS(mark)
        endedS = mark.isEnd
        true
      case word: FlowSettled =>
        settled = word.number
        true
      case _ => false
    }

    private[this] def isHome(t: FlowTuple): Boolean = t.number % threads == k

    private[this] def storeR(t: FlowTuple): Unit = {
      ofR.append(t)
      stored += 1
      peakOfR = math.max(peakOfR, ofR.size - ofR.countBefore(t.firstR))
    }

    private[this] def storeS(t: FlowTuple): Unit = {
      ofS.append(t)
      stored += 1
      peakOfS = math.max(peakOfS, ofS.size - ofS.countBefore(t.firstS))
    }

    private[this] def slideR(m: DriverMessage): Unit = {
      firstR = m.firstR
      ofR.dropBefore(firstR)
    }

    private[this] def slideS(m: DriverMessage): Unit = {
      firstS = m.firstS
      ofS.dropBefore(firstS)
    }

    private[this] def passR(m: DriverMessage): Unit =
      if (isLast) endOfR = m.at
      else {
        acknowledge()
        toRight.offer(m)
      }

    private[this] def passS(m: DriverMessage): Unit =
      if (isFirst) endOfS = m.at
      else {
        tell()
        toLeft.offer(m)
      }

    private[this] def acknowledge(): Unit = if (received > acknowledged) {
      toRight.offer(new FlowAck(received))
      acknowledged = received
    }

    private[this] def tell(): Unit = if (settled > told) {
      toLeft.offer(new FlowSettled(settled))
      told = settled
    }
  }
}
