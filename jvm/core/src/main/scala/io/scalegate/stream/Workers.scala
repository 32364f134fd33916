package io.scalegate.stream

/** The threads of one operator, daemons all. Each has a [[Work]]; they may join and leave while the
  * operator runs. Any thread may call the methods, but [[stop]] none of the operator's own, which
  * would wait for itself.
  *
  * @param newIdle
  *   makes what a thread does while there is nothing to do
  * @param newThread
  *   makes a thread, not started, that runs this under this name
  */
final private[scalegate] class Workers(
    ending: Lifecycle,
    newIdle: () => IdleStrategy,
    newThread: (Runnable, String) => Thread = Workers.daemon
) {
  /*
   *               +---- nothing to do: idle ----+
   *               v                             |
   *   prepare --> left? stopped? finished? --> step
   *      |            |             |           |
   *      |            |             +--> finish |
   *      +- throws -> v <-------------------+---+ throws
   *                  end
   *
   * Progress. A worker takes no lock: it reads a few flags between two steps. Once the operator is
   * stopped, a worker ends when its step does; where the step waits (`Waiting`), when its idle
   * strategy returns. So all that holds `stop` up is the user's code. That is interrupted by `stop`,
   * and by nothing else: after a failure in one thread the others go on to the end of their steps.
   * User's code that swallows the interrupt is no harm: nobody relies on it.
   *
   * Nobody is left behind. `join` starts a thread and makes it a member under the lock, after a look
   * at whether the operator was stopped. `stop` says so first, and reads the members under the lock
   * then: a thread that it does not find there was refused. Nobody waits for a thread's end under
   * the lock.
   *
   * Memory order. A work sees what was written before `start` or `join` was called for it, and who
   * has returned from `stop` sees what the work has written: by the JDK's rules for the start and the
   * end of a thread. A failure is recorded (volatile) before `Work.end` is called: who sees a
   * consequence of that, such as a closed output, finds the failure when it looks afterwards.
   */
  private[this] var members = Vector.empty[Thread] // under the lock

  /** Starts a thread for each of them. When one cannot start the operator fails: those that did start
    * have ended when the caller gets the reason. When the work of one fails before the next has
    * started, the rest stay away, and the consumer gets the failure as it would a moment later.
    */
  def start(all: Iterable[Work]): Unit =
    try {
      ending.throwIfStopped()
      all.foreach(begin)
    } catch {
      case e: Throwable =>
        ending.fail(e)
        interruptAndAwait()
        throw e
    }

  /** Starts a thread for one more. When it cannot start nothing has changed. Throws when the operator
    * was stopped.
    */
  def join(work: Work): Unit = if (!begin(work)) ending.throwIfStopped()

  /** Whether it has a thread now: not once the operator was stopped. */
  private[this] def begin(work: Work): Boolean = synchronized {
    val goesOn = !ending.isStopped
    if (goesOn) {
      val idle = newIdle()
      val thread = newThread(() => work.run(ending, idle), work.name)
      thread.start() // before it is a member: one that cannot start is none
      members = members.filter(_.isAlive) :+ thread
    }
    goesOn
  }

  /** Stops the operator, interrupts its threads, and waits until they have ended; an interrupt that
    * comes meanwhile is kept for the caller. A second call waits for the same.
    */
  def stop(): Unit = {
    ending.close()
    interruptAndAwait()
  }

  /** How one of the threads waits for room, or for what another does. */
  def waiting(): Waiting = new Waiting(ending, newIdle())

  private[this] def interruptAndAwait(): Unit = {
    val threads = synchronized(members)
    threads.foreach(_.interrupt()) // the user's code may wait in one
    var interrupted = false
    for (thread <- threads)
      while (thread.isAlive)
        try thread.join()
        catch { case _: InterruptedException => interrupted = true }
    if (interrupted) Thread.currentThread().interrupt()
  }
}

private[scalegate] object Workers {

  /** Daemons: an operator that nobody closed does not keep its process alive. */
  private val daemon = (run: Runnable, name: String) => {
    val thread = new Thread(run, name)
    thread.setDaemon(true)
    thread
  }
}
