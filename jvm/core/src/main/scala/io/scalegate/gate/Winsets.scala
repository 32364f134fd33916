package io.scalegate.gate

/** What a [[WHive]] keeps for each window.
  *
  * @tparam T
  *   the tuples
  * @tparam W
  *   the winset: the windows of one time interval, for all keys
  */
trait Winsets[T, W] {
  def ts(tuple: T): Long

  /** An empty winset of the window that starts at `start`. Any thread. */
  def create(start: Long): W

  /** What the thread with this number updates with. */
  def updater(thread: Int): WinsetUpdater[T, W]
}
