package io.scalegate.spark.window

/** The panes of times one after the other: rows of one pane follow each other where times ascend, and need no division.
  * Public for generated code. One thread, the task's; it holds one pane.
  */
final class PaneCursor(by: SlidingWindow) {
  private[this] var from = 0L
  private[this] var until = 0L

  /** As [[SlidingWindow.pane]]. */
  def pane(time: Long): Long = if (time >= from && time < until) from else move(time)

  private[this] def move(time: Long): Long = {
    from = by.pane(time)
    until = by.paneEnd(from)
    from
  }
}
