package io.scalegate.gate

import io.scalegate.stream.EventOrder

/** The T-Gate of multiway aggregation (§4, §5.5): merges a fixed number of sorted inputs into one
  * sorted sequence of ready tuples, each of which every handle gets once and only once.
  *
  * An input delivers in strictly rising order; one thread at a time uses an input, and one a
  * handle. A thread that feeds several inputs does as one that feeds a [[ScaleGate]]'s sources.
  * A tuple is ready as soon as no open input can deliver one that sorts before it: exact, where
  * the paper's code withholds each input's last tuple.
  *
  * @param order
  *   the total order of the tuples; no two tuples of a gate may have the same key
  * @param inputs
  *   how many inputs deliver, numbered from 0
  * @param handles
  *   how many threads read, numbered from 0: one in TuMLSC, one for each update thread in TuMLMC
  * @param capacity
  *   how many tuples of one input may wait for the slowest handle
  */
final class TGate[T <: AnyRef](
    val order: EventOrder[T],
    val inputs: Int,
    val handles: Int,
    capacity: Int
) {
  /*
   * A T-Gate is a ScaleGate, by the paper's other names. Both papers describe the same list with
   * the same shortcuts, the same thread-local place to start a search at, and readers that each
   * move a head of their own over it; "once and only once" is said of a handle, since each update
   * thread of TuMLMC has to read every tuple. What differs in the texts (`<` there and `<=` here
   * for a tie between inputs, the withheld last tuple) is settled for both by exact readiness in
   * the tuples' total order. So nothing is written twice: progress, linearization points and
   * memory order are those of ScaleGate, whose Lincheck model runs over this class too.
   *
   * All inputs and handles stand before the first tuple, hence no handle misses one.
   *
   * Checked. `ScaleGateLincheckSuite`: all operations against the definition, and that each is
   * lock-free. By jcstress, of the
   * linearization points: the frontier's store in `FrontierPublication` and, after the link, in
   * `ConcurrentInserts`; a close in `LastClose`; a read's last look at the link in `LostInsert`;
   * and reads by two handles of this class in `OncePerHandle`.
   */
  require(inputs > 0, s"a gate needs at least one input, not $inputs")
  require(handles > 0, s"a gate needs at least one handle, not $handles")

  private[this] val gate = new ScaleGate[T](order, capacity)
  private[this] val sources = Array.tabulate(inputs)(i => gate.addSource(s"input $i"))
  private[this] val readers = Array.fill(handles)(gate.addReader())

  /** Inserts the next tuple of `input`; false when the input is full. Lock-free. */
  def insertTuple(tuple: T, input: Int): Boolean = sources(input).tryAdd(tuple)

  /** The next ready tuple of the handle; null when there is none yet. */
  def getNextReadyTuple(handle: Int): T = readers(handle).getNextReadyTuple()

  /** Promises that `input` delivers nothing that sorts at or before `punctuation` any more. */
  def advance(input: Int, punctuation: T): Unit = sources(input).advance(punctuation)

  /** Nothing comes from `input` any more. A second call is void. */
  def close(input: Int): Unit = sources(input).close()

  /** Whether every input has closed and the handle has got every tuple. */
  def isDone(handle: Int): Boolean = readers(handle).isDone

  /** What the handle's thread uses, for one that reads much. */
  def handle(i: Int): GateReader[T] = readers(i)

  /** What the input's thread uses, for one that delivers much. */
  def input(i: Int): GateSource[T] = sources(i)
}
