package io.scalegate.gate

/** How one thread adds its tuples to winsets. */
trait WinsetUpdater[T, W] {

  /** The tuples to come fall into this winset too, which starts after those entered before. */
  def enter(winset: W): Unit

  /** Adds the tuple to all winsets entered, which other threads may be updating. */
  def update(tuple: T): Unit

  /** Lets go of all winsets entered. */
  def leave(): Unit
}
