package io.scalegate.baseline.handshake

import io.scalegate.join.{JoinOptions, JoinResult, JoinSpec, JoinStrategy, RunningJoin}
import io.scalegate.stream.Side

/** Handshake join (Teubner and Mueller, SIGMOD 2011; DP-Join §III-B): the windows lie in segments
  * along a chain of nodes, the streams flow through it in opposite directions, and a pair meets
  * wherever they pass each other.
  *
  * The rows are those of every other strategy: which pairs are in the window is decided by the
  * tuples' times, not by where they happen to be. Two things differ, and are the method's own. The
  * '''order''' of the results is that in which pairs meet, and depends on the threads. The
  * '''latency''' is up to half of the window, because a tuple moves only as others push it: a
  * result may wait for later tuples, promises or the sources' end.
  */
final class HandshakeJoin(threads: Int) extends JoinStrategy {
  require(threads > 0, s"a join needs at least one thread, not $threads")

  def name: String = s"handshake join($threads)"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningJoin = {
    val join = new RunningHandshakeJoin(spec, sources, options, threads)
    join.start()
    join
  }
}

final private class RunningHandshakeJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    threads: Int,
    linkCapacity: Int = FlowJoin.LinkCapacity
) extends FlowJoin(spec, sides, options, threads, linkCapacity) {
  /*
   * A node meets what arrives with the other stream's segment, stores it, and passes its oldest
   * tuple on when the neighbour holds fewer (§4.3: the load balances itself) or the window has let
   * go of it. So a tuple has been everywhere when it leaves the chain.
   *
   * Tuples that pass each other on a link (§4.2.3). A node keeps a copy of an R tuple that it has
   * passed on until the neighbour has acknowledged it, and an acknowledgement goes before whatever
   * S tuple the neighbour passes on afterwards. Of an R tuple and an S tuple on the same link,
   * either the right node had the R tuple when it passed the S tuple on: they met there, and the
   * copy is gone when the S tuple arrives. Or it had not: then the S tuple meets the copy. S tuples
   * are not copied, so no pair meets twice.
   *
   * When a tuple leaves the chain. An R tuple that no later tuple pairs with must still meet the S
   * tuples before that; they may wait at the right end. So the last node keeps it until word of
   * this has come with the S tuples. The same holds for S at the left end. An S tuple that has left
   * has met all it can, so the frontier is the time of the oldest that has not. Of an R tuple that
   * has left there may still be copies.
   *
   * It does not lock up. S tuples move left as long as the next node has room, the first node
   * always has, and none waits for anything else: an acknowledgement waits with the S tuple behind
   * it. R tuples move right under the same condition. A node takes no tuple of a stream while it
   * still has some to pass on that have left the window, so what it holds is bounded by the
   * windows. A node that waits for room for a result waits for the consumer alone.
   */
  @volatile private[this] var oldestS =
    Long.MinValue // the time of what may still be in the chain
  protected val nodes: Vector[Core] = Vector.tabulate(threads)(new Core(_))
  private[this] var turn = 0
  private[this] var promised = Long.MinValue
  private[this] var bound = Long.MinValue

  /** What the nodes have, in turn. */
  protected def take(): JoinResult = {
    var result = results(turn).poll()
    var tried = 1
    while (result == null && tried < threads) {
      turn = if (turn + 1 < threads) turn + 1 else 0
      result = results(turn).poll()
      tried += 1
    }
    if (result == null) raise()
    result
  }

  protected def isExhausted: Boolean = results.forall(_.isDone)

  protected def reached: Long = bound

  /** There was no result: what was in the chain before the rings were read bounds what comes. */
  private[this] def raise(): Unit = {
    bound = math.max(bound, promised)
    promised = oldestS
  }

  final class Core(k: Int) extends Node(k) {
    private[this] val right = new HandshakeLoad
    private[this] val left = new HandshakeLoad
    private[this] var copies = 0 // R tuples that were passed on, at the head of ofR
    private[this] var received = 0L // the number behind the last R tuple
    private[this] var acknowledged = 0L
    private[this] var lastR: DriverMessage = HandshakeJoin.Nothing
    private[this] var lastS: DriverMessage = HandshakeJoin.Nothing
    private[this] var passedR: DriverMessage = HandshakeJoin.Nothing
    private[this] var passedS: DriverMessage = HandshakeJoin.Nothing
    private[this] var leavingR = 0L // at the last node
    private[this] var leavingS = 0L // at the first

    /** What is here of each stream, for the neighbours. */
    def loadOfR: HandshakeLoad = right

    def loadOfS: HandshakeLoad = left

    def isFinished: Boolean = isEnd(passedR) && isEnd(passedS)

    protected def flow(): Boolean = {
      val tookR = (lastR eq passedR) && takeR()
      val tookS = (lastS eq passedS) && takeS()
      val movedR = if (isLast) releaseR() else pushR()
      val movedS = if (isFirst) releaseS() else pushS()
      right.set(ofR.size - copies)
      left.set(ofS.size)
      tookR || tookS || movedR || movedS
    }

    private[this] def takeR(): Boolean = fromLeft.poll() match {
      case t: FlowTuple =>
        ofS.meet(t, ofS.size)
        ofR.append(t)
        received = t.number + 1
        right.receive()
        stored += 1
        noteR(t)
        val gone = math.max(copies, ofR.countBefore(lastR.firstR))
        peakOfR = math.max(peakOfR, ofR.size - gone)
        true
      case mark: FlowMark =>
        noteR(mark)
        true
      case _ => false
    }

    private[this] def takeS(): Boolean = fromRight.poll() match {
      case t: FlowTuple =>
        ofR.meet(t, ofR.size) // the copies too
        ofS.append(t)
        left.receive()
        stored += 1
        noteS(t)
        peakOfS = math.max(peakOfS, ofS.size - ofS.countBefore(lastS.firstS))
        true
      case mark: FlowMark =>
        noteS(mark)
        true
      case ack: FlowAck =>
        val size = ofR.size
        ofR.dropBefore(ack.number)
        copies -= size - ofR.size
        true
      case _ => false
    }

    /** A tuple that lay in segments may carry older word than what has overtaken it, and is not
      * worth a mark to the next node when it carries none.
      */
    private[this] def noteR(m: DriverMessage): Unit = {
      if (m.firstR > lastR.firstR || (m.firstR == lastR.firstR && isMark(m))) lastR = m
      if (isFirst) leavingS = math.max(leavingS, m.firstS)
    }

    private[this] def noteS(m: DriverMessage): Unit = {
      if (m.firstS > lastS.firstS || (m.firstS == lastS.firstS && isMark(m))) lastS = m
      if (isLast) leavingR = math.max(leavingR, m.firstR)
    }

    private[this] def pushR(): Boolean = {
      val neighbour = nodes(k + 1).loadOfR
      var moved = false
      while (copies < ofR.size && mustMoveR(neighbour) && toRight.offer(ofR(copies))) {
        copies += 1
        right.send()
        moved = true
      }
      if (lastR ne passedR)
        if (copies == ofR.size || ofR(copies).number >= lastR.firstR)
          if (toRight.offer(HandshakeJoin.mark(lastR))) {
            passedR = lastR
            moved = true
          }
      moved
    }

    private[this] def mustMoveR(neighbour: HandshakeLoad): Boolean =
      ofR(copies).number < lastR.firstR || ofR.size - copies > neighbour.size + right.under(
        neighbour
      )

    private[this] def pushS(): Boolean = {
      val neighbour = nodes(k - 1).loadOfS
      var moved = false
      while (ofS.size > 0 && mustMoveS(neighbour) && acknowledge(1)) {
        val t = ofS(0)
        toLeft.offer(t)
        ofS.dropBefore(t.number + 1)
        left.send()
        moved = true
      }
      if (lastS ne passedS)
        if (ofS.size == 0 || ofS(0).number >= lastS.firstS)
          if (acknowledge(1)) {
            toLeft.offer(HandshakeJoin.mark(lastS))
            passedS = lastS
            moved = true
          }
      acknowledge(0)
      moved
    }

    private[this] def mustMoveS(neighbour: HandshakeLoad): Boolean =
      ofS(0).number < lastS.firstS || ofS.size > neighbour.size + left.under(neighbour)

    /** Acknowledges what has come from the left, if then there is room for so many messages. */
    private[this] def acknowledge(more: Int): Boolean =
      if (received == acknowledged) toLeft.hasRoom(more)
      else
        toLeft.hasRoom(more + 1) && {
          toLeft.offer(new FlowAck(received))
          acknowledged = received
          true
        }

    private[this] def releaseR(): Boolean = {
      val size = ofR.size
      ofR.dropBefore(math.min(lastR.firstR, leavingR))
      passedR = lastR
      ofR.size < size
    }

    private[this] def releaseS(): Boolean = {
      val size = ofS.size
      ofS.dropBefore(math.min(lastS.firstS, leavingS))
      passedS = lastS
      oldestS = if (ofS.size > 0) ofS(0).at.ts else lastS.ts
      ofS.size < size
    }

    private[this] def isMark(m: DriverMessage): Boolean = m match {
      case _: FlowMark => true
      case _ => false
    }

    private[this] def isEnd(m: DriverMessage): Boolean = m match {
      case mark: FlowMark => mark.isEnd
      case _ => false
    }
  }
}

private object HandshakeJoin {

  /** Before the first message. */
  val Nothing: FlowMark = new FlowMark(null, 0, 0, Long.MinValue, false)

  /** What a tuple that stays behind has told of the windows. */
  def mark(m: DriverMessage): FlowMark = m match {
    case mark: FlowMark => mark
    case _ => new FlowMark(null, m.firstR, m.firstS, m.ts, false)
  }
}
