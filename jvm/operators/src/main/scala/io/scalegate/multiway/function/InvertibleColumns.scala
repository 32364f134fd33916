package io.scalegate.multiway.function

/** States of a function that has an inverse: a tuple is added twice, in however many windows it
  * lies, and the consumer merges what has come and takes away what has gone.
  */
final private[scalegate] class InvertibleLayout[T, S <: AnyRef](
    function: AggregateFunction[T, S, _],
    inverse: Invertible[S]
) extends DifferenceLayout[T, InvertibleColumns[T, S]] {
  def lane(windows: Int, expected: Int): InvertibleColumns[T, S] =
    new InvertibleColumns(function, windows)

  def windows(): InvertibleWindows[S] = new InvertibleWindows(function, inverse)
}

/** A lane's states: for each window of the tuples that lie in it and not in the one before, and of
  * those that lie in the one before and not in it.
  */
final private[scalegate] class InvertibleColumns[T, S <: AnyRef](
    function: AggregateFunction[T, S, _],
    windows: Int
) extends DifferenceLane[T](windows) {
  val come = new StateColumns[T, S](function, windows)
  val gone = new StateColumns[T, S](function, windows)

  def addToEach(key: Int, from: Int, until: Int, tuple: T): Unit = {
    tuples.addToEach(key, from, until)
    come.add(key, from, tuple)
    if (until < windows) gone.add(key, until, tuple)
  }

  def touchEach(key: Int, from: Int, until: Int): Unit = tuples.addToEach(key, from, until)
}

/** States by window and key; null: no tuples. In the order of memory of [[DifferenceColumns]]: who
  * changes a window's has a tuple that lies in the window or in the one before.
  */
final private[scalegate] class StateColumns[T, S <: AnyRef](
    function: AggregateFunction[T, S, _],
    windows: Int
) {
  private[this] val columns = new Array[Array[AnyRef]](windows)

  def add(key: Int, window: Int, tuple: T): Unit = {
    val found = columns(window)
    val column = if (found != null && key < found.length) found else lengthened(key, window)
    val state = column(key)
    val added =
      function.add(if (state == null) function.create() else state.asInstanceOf[S], tuple)
    if (added ne state) column(key) = added
  }

  /** A complete window's states by key, which go; null: none. The consumer's. */
  def take(window: Int): Array[AnyRef] = {
    val column = columns(window)
    columns(window) = null
    column
  }

  private[this] def lengthened(key: Int, window: Int): Array[AnyRef] = {
    val length = DifferenceColumns.lengthFor(key)
    val old = columns(window)
    columns(window) =
      if (old == null) new Array[AnyRef](length) else java.util.Arrays.copyOf(old, length)
    columns(window)
  }
}

/** States of a window by key, of all tuples that have come and not gone. */
final private[scalegate] class InvertibleWindows[S <: AnyRef](
    function: AggregateFunction[_, S, _],
    inverse: Invertible[S]
) extends AddedUpWindows[InvertibleColumns[_, S]] {
  private[this] var states = new Array[AnyRef](0) // null: of no tuples

  protected def reserve(): Unit =
    if (states.length < room) states = java.util.Arrays.copyOf(states, room)

  protected def addDifferences(
      lane: InvertibleColumns[_, S],
      window: Int,
      count: Int,
      numbers: Array[Int]
  ): Unit = {
    addAll(lane.come.take(window), count, numbers, isGone = false)
    addAll(lane.gone.take(window), count, numbers, isGone = true)
  }

  protected def result(number: Int, tuples: Long): AnyRef = {
    val state = states(number).asInstanceOf[S]
    function.result(if (state == null) function.create() else state).asInstanceOf[AnyRef]
  }

  override protected def forget(number: Int): Unit = states(number) = null

  /** @param column
    *   null: none
    */
  private[this] def addAll(
      column: Array[AnyRef],
      count: Int,
      numbers: Array[Int],
      isGone: Boolean
  ): Unit = if (column != null) {
    val n = math.min(count, column.length)
    var i = 0
    while (i < n) {
      val state = column(i).asInstanceOf[S]
      if (state != null) {
        val number = if (numbers == null) i else numbers(i)
        states(number) = changed(states(number).asInstanceOf[S], state, isGone)
      }
      i += 1
    }
  }

  private[this] def changed(state: S, by: S, isGone: Boolean): S =
    if (isGone) inverse.subtract(state, by)
    else if (state == null) by
    else function.merge(state, by)
}
