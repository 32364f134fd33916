package io.scalegate.lookup

/** The rows of a sweep's build side, as a cursor. They come in rising order of [[position]]. */
trait BuildRows {

  /** Moves to the next row; false when there is none. Not called again after that. */
  def advance(): Boolean

  /** The attribute that the rows are sorted by. */
  def position: Long

  /** The i-th further attribute, as a sortable integer (see [[io.scalegate.stream.SortableKey]]).
    */
  def attribute(i: Int): Long

  /** The current row, in a form that stays valid when the cursor moves on; called once for a kept
    * row. Null if there is no room for it.
    */
  def row(): AnyRef
}
