package io.scalegate.matrix

import io.scalegate.join.RunningJoin
import io.scalegate.partition.MatrixLayout

/** A running join whose workers have a layout. Of a `MatrixJoin.adaptive` it follows the streams: where their rates
  * or windows have changed, the rows of the windows are dealt anew, once as many tuples have come as those
  * rows are.
  */
trait LaidOutJoin extends RunningJoin {

  /** The layout now, or a moment ago. Any thread. */
  def layout: MatrixLayout

  /** How often it has changed. Any thread. */
  def layoutChanges: Int
}
