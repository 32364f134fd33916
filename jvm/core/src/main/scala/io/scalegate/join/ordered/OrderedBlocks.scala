package io.scalegate.join.ordered

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ArrayBlockingQueue, Semaphore, TimeUnit}

import io.scalegate.stream.{IdleStrategy, Lifecycle, Work, Workers}

/** Work that is cut into blocks, which several threads claim one after the other, and whose results one consumer takes
  * in the order of the blocks: the shared task queue and ordered result propagation of the parallel index-based window
  * join (PIM-Tree §III-B), for inputs that stand still.
  *
  * The consumer is one thread, which calls [[next]] until it is null, and [[close]] in any case; its waiting is
  * blocking, as the threads' is. A failure in a thread reaches the consumer. Another thread may close it: then the
  * consumer is told so.
  *
  * @param count
  *   of blocks, numbered from 0
  * @param work
  *   one for each thread, made on the consumer's
  */
final class OrderedBlocks[A <: AnyRef](count: Int, work: IndexedSeq[BlockWork[A]]) {
  import OrderedBlocks._

  /*
   *   blocks      0    1    2    3 | 4    5    6    7 | 8 ...        ahead = 4
   *   state       taken     ^being taken   ^claimed     ^may not be claimed before 4 is taken
   *
   * A thread claims a block with a permit in hand. Permits come back when a block is taken to its end, so block b can
   * only be claimed once block b − ahead was taken, and the two can have one queue: what is in it is of one block at a
   * time. The block that the consumer is at was claimed before all later ones, and its queue is being emptied: so its
   * thread goes on whatever the others wait for, and nothing waits for ever.
   *
   * Results cross threads in queues, whose locks order what was written before. The consumer looks for a failure, and
   * whether it was closed, after it has looked for a result.
   *
   * A thread's waits end by an interrupt. Where the work's own code has swallowed that, the wait finds by itself, a
   * little later, that the results are not wanted any more.
   */
  private[this] val ahead = BlocksAhead * work.length
  private[this] val permits = new Semaphore(ahead)
  private[this] val claimed = new AtomicInteger
  private[this] val queues = Array.fill(ahead)(new ArrayBlockingQueue[AnyRef](ResultsOfBlock))
  private[this] val lifecycle = new Lifecycle("join")
  private[this] val threads = new Workers(lifecycle, () => Blocking)
  private[this] var current = 0

  threads.start(work.zipWithIndex.map { case (blocks, i) => new BlockByBlock(blocks, i) })

  /** The next result, in the order of the blocks and, within one, in that in which it was given; null at the end.
    * Throws if it was closed before.
    *
    * @param waiting
    *   called now and then while there is none yet; may throw
    */
  def next(waiting: () => Unit): A = {
    var result: AnyRef = null
    while (result == null && current < count) {
      result = queues(current % ahead).poll(PollMillis, TimeUnit.MILLISECONDS)
      lifecycle.throwIfStopped()
      if (result == null) waiting()
      else if (result eq End) {
        result = null
        current += 1
        permits.release()
      }
    }
    result.asInstanceOf[A]
  }

  /** Ends the threads, whether all was taken or not, and waits until they have ended. Any thread but those; a second
    * call is void.
    */
  def close(): Unit = threads.stop()

  final private[this] class BlockByBlock(work: BlockWork[A], i: Int)
      extends Work(s"scalegate-blocks-$i") {
    private[this] val waiting = threads.waiting()
    private[this] var hasAll = false

    def isFinished: Boolean = hasAll

    def step(): Boolean = {
      waiting.until(permits.tryAcquire(RecheckMillis, TimeUnit.MILLISECONDS))
      val block = claimed.getAndIncrement()
      if (block < count) {
        val queue = queues(block % ahead)
        work.run(block, put(queue, _))
        put(queue, End)
      } else hasAll = true
      true
    }

    private[this] def put(queue: ArrayBlockingQueue[AnyRef], result: AnyRef): Unit = {
      waiting.throwIfStopped()
      waiting.until(queue.offer(result, RecheckMillis, TimeUnit.MILLISECONDS))
    }
  }
}

private object OrderedBlocks {
  private object End

  /** For waits whose conditions block for a while themselves. */
  private object Blocking extends IdleStrategy {
    def idle(): Unit = ()
    def reset(): Unit = ()
  }

  /** Blocks of each thread that may be ahead of the one that is taken: enough that a large one holds nobody up. */
  private val BlocksAhead = 4

  private val ResultsOfBlock = 8

  /** Between two looks for a failure, and two calls of `waiting`. */
  private val PollMillis = 10L

  /** Between two looks of a thread that waits at whether it should end. */
  private val RecheckMillis = 100L
}
