package io.scalegate.join.baseline

/** What a thread of the chain does, step by step. One thread at a time. */
private[baseline] trait FlowPart {

  /** Before the first step, on the thread that takes the steps. */
  def prepare(): Unit

  /** Does what can be done without waiting for a neighbour, and says whether there was anything.
    */
  def step(): Boolean

  /** Whether no step will do anything any more. */
  def isFinished: Boolean

  /** After the last step, whatever ended it. */
  def end(): Unit
}
