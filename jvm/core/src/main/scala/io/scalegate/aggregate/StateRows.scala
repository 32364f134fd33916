package io.scalegate.aggregate

/** How the states of one key are kept for windows next to each other: a row with a place for each
  * window, of [[StateRows.MostPlaces]] at most.
  *
  * One thread at a time makes states and adds to them. Another may take a state that nobody adds to
  * any more, while that goes on at other places.
  */
abstract private[aggregate] class StateRows[-T, S <: AnyRef, Row <: AnyRef] {

  /** A row without states. */
  def create(places: Int): Row

  /** Adds the tuple to the states at the places from `from` until `until`, those made that are
    * missing; at least one.
    */
  def addToEach(row: Row, from: Int, until: Int, tuple: T): Unit

  /** Makes the states that are missing from `from` until `until`; at least one. */
  def touchEach(row: Row, from: Int, until: Int): Unit

  /** The state at a place, for its new owner; null: none was made. Once for each. */
  def take(row: Row, place: Int): S
}

private[aggregate] object StateRows {
  val MostPlaces = 64
}

/** Any function's states. */
final private[aggregate] class ObjectRows[T, S <: AnyRef](function: AggregateFunction[T, S, _])
    extends StateRows[T, S, Array[AnyRef]] {
  def create(places: Int): Array[AnyRef] = new Array[AnyRef](places)

  def addToEach(row: Array[AnyRef], from: Int, until: Int, tuple: T): Unit =
    function.addToEach(row, from, until, tuple)

  def touchEach(row: Array[AnyRef], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      if (row(i) == null) row(i) = function.create()
      i += 1
    }
  }

  /** Leaves nothing behind: a state may be large, and the row stays. */
  def take(row: Array[AnyRef], place: Int): S = {
    val state = row(place)
    if (state != null) row(place) = null
    state.asInstanceOf[S]
  }
}

/** Counts, as numbers behind a word that has a bit for each count that was made. */
private[aggregate] object CountRows extends StateRows[Any, Counted, Array[Long]] {
  def create(places: Int): Array[Long] = new Array[Long](1 + places)

  def addToEach(row: Array[Long], from: Int, until: Int, tuple: Any): Unit = {
    touchEach(row, from, until)
    var i = from + 1
    while (i <= until) {
      row(i) += 1
      i += 1
    }
  }

  def touchEach(row: Array[Long], from: Int, until: Int): Unit =
    row(0) |= -1L >>> (StateRows.MostPlaces - (until - from)) << from

  def take(row: Array[Long], place: Int): Counted =
    if ((row(0) >>> place & 1) == 0) null else new Counted(row(place + 1))
}
