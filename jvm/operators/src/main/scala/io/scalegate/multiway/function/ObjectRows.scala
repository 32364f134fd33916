package io.scalegate.multiway.function

/** Any function's states: for each key a row of them, next to each other. */
final private[scalegate] class ObjectLayout[T, S <: AnyRef](function: AggregateFunction[T, S, _])
    extends StateLayout[T, ObjectRows[T, S]] {

  /** Twice as many windows as hold a time: few tuples lie in two blocks, and few of a rare key's
    * windows stay empty.
    */
  def blockShift(overlap: Long): Int =
    math.min(StateLayout.shiftFor(overlap) + 1, ObjectLayout.WidestShift)

  def lane(windows: Int, expected: Int): ObjectRows[T, S] =
    new ObjectRows(function, windows, expected)

  def windows(): ObjectWindows[S] = new ObjectWindows(function)
}

private[scalegate] object ObjectLayout {
  private val WidestShift = 6
}

/** A lane's rows, by number of key. A row is published when it is made, as keys are; the states in
  * it are plain: the consumer reads and clears those of complete windows, which nobody else touches.
  */
final private[scalegate] class ObjectRows[T, S <: AnyRef](
    function: AggregateFunction[T, S, _],
    windows: Int,
    expected: Int
) extends LaneStates[T] {
  private[this] val rows = new AddedList[Array[AnyRef]](expected)

  def addToEach(key: Int, from: Int, until: Int, tuple: T): Unit =
    function.addToEach(row(key), from, until, tuple)

  def touchEach(key: Int, from: Int, until: Int): Unit = {
    val states = row(key)
    var i = from
    while (i < until) {
      if (states(i) == null) states(i) = function.create()
      i += 1
    }
  }

  /** How many rows can be read. The consumer's, like [[all]]. */
  def length: Int = rows.length

  /** The rows, of which there are those that [[length]] has said before. */
  def all: Array[AnyRef] = rows.all

  private[this] def row(key: Int): Array[AnyRef] = {
    if (key == rows.size) rows.add(new Array[AnyRef](windows))
    rows(key)
  }
}

/** States of a window by key, merged. */
final private[scalegate] class ObjectWindows[S <: AnyRef](function: AggregateFunction[_, S, _])
    extends WindowStates[ObjectRows[_, S]] {
  private[this] var window = 0
  private[this] var states = new Array[AnyRef](0)
  private[this] var count = 0

  def begin(window: Int, keys: Int): Unit = {
    this.window = window
    if (states.length < keys) states = new Array[AnyRef](2 * keys)
  }

  /** Leaves nothing behind: a state may be large, and the row stays. */
  def add(lane: ObjectRows[_, S], count: Int, numbers: Array[Int]): Unit = {
    val n = math.min(count, lane.length)
    val rows = lane.all
    var i = 0
    while (i < n) {
      val row = rows(i).asInstanceOf[Array[AnyRef]]
      val state = row(window)
      if (state != null) {
        row(window) = null
        put(if (numbers == null) i else numbers(i), state.asInstanceOf[S])
      }
      i += 1
    }
  }

  def end(keys: Array[AnyRef], taken: TakenResults): Unit = {
    taken.expect(count)
    var i = 0
    while (count > 0) {
      val state = states(i)
      if (state != null) {
        taken.add(keys(i), function.result(state.asInstanceOf[S]).asInstanceOf[AnyRef])
        states(i) = null
        count -= 1
      }
      i += 1
    }
  }

  private[this] def put(number: Int, state: S): Unit =
    if (states(number) == null) {
      states(number) = state
      count += 1
    } else states(number) = function.merge(states(number).asInstanceOf[S], state)
}
