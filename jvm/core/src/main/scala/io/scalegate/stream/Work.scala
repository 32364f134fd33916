package io.scalegate.stream

/** What one thread of an operator does: [[prepare]], then one [[step]] after the other until
  * [[isFinished]], then [[finish]]; [[end]] in any case. One thread calls all of them: that of
  * [[Workers]], or a test that takes the steps itself. What any of them throws ends the operator.
  *
  * @param name
  *   the thread's
  */
abstract private[scalegate] class Work(val name: String) {
  @volatile private[this] var leaving = false
  @volatile private[this] var ended = false

  /** Makes what only this thread may use. */
  def prepare(): Unit = ()

  /** Does what there is to do, and says whether there was anything: if not, the thread idles. */
  def step(): Boolean

  /** Whether no step will do anything any more. */
  def isFinished: Boolean

  /** What is left to do once the work is finished; left out when it was stopped, or leaves. */
  def finish(): Unit = ()

  /** Lets go of what others wait for, whatever ended the work, [[prepare]] included. */
  def end(): Unit = ()

  /** Has its thread end after the step that it is in. Does not wait for that. Any thread. */
  final def leave(): Unit = leaving = true

  final def isLeaving: Boolean = leaving

  /** Whether its thread has done all that it will do, which whoever asks then sees. Any thread. */
  final def hasEnded: Boolean = ended

  /** What [[Workers]] has its thread do. */
  final private[stream] def run(ending: Lifecycle, idle: IdleStrategy): Unit = {
    guarded(ending)(runSteps(ending, idle))
    guarded(ending)(end()) // after a failure is recorded
    ended = true
  }

  private[this] def runSteps(ending: Lifecycle, idle: IdleStrategy): Unit = {
    prepare()
    while (!leaving && !ending.isStopped && !isFinished)
      if (step()) idle.reset() else idle.idle()
    if (!leaving && !ending.isStopped) finish()
  }

  private[this] def guarded(ending: Lifecycle)(body: => Unit): Unit =
    try body
    catch {
      case _: Stopped => ()
      case e: Throwable => ending.fail(e)
    }
}
