package io.scalegate.multiway

import org.jetbrains.kotlinx.lincheck.annotations.Operation

import io.scalegate.LincheckSuite
import io.scalegate.stream.{EventOrder, Side, StreamTuple}

/** Linearizability of the merge of input queues, with a lock or without. */
class QueueMergeLincheckSuite extends LincheckSuite {
  for (model <- Seq[Class[_]](classOf[LockedQueuesModel], classOf[LockFreeQueuesModel])) {
    val name = model.getSimpleName

    test(s"offer, promise, close, next and isDone are linearizable under stress: $name") {
      stress(model, classOf[DefinedMergeModel], scenarios = 4, runs = 400)
    }

    test(s"offer, promise, close, next and isDone are linearizable in interleavings: $name") {
      val isLockFree = model == classOf[LockFreeQueuesModel]
      explore(model, classOf[DefinedMergeModel], scenarios = 2, runs = 100, isLockFree)
    }
  }
}

/** Two inputs, and the consumer. */
abstract class MergeModel {
  protected def offer(t: StreamTuple): Unit
  protected def promise(input: Int, ts: Long): Unit
  protected def close(input: Int): Unit
  protected def take(): StreamTuple
  protected def isEnd: Boolean

  private val time = Array(0L, 0L)
  private val open = Array(true, true)

  // Input 0 delivers at 1, 2, 3, …; input 1 at 2, 4, 6, ….
  private def next(input: Int): Long = {
    time(input) += 1L + input
    time(input)
  }

  private def deliver(i: Int): Unit =
    if (open(i))
      offer(new StreamTuple(next(i), i, time(i), Side.R, Array.emptyLongArray, null))

  private def skip(i: Int): Unit = if (open(i)) promise(i, next(i) + 1)

  private def shut(i: Int): Unit = {
    open(i) = false
    close(i)
  }

  @Operation(nonParallelGroup = "input0") def offer0(): Unit = deliver(0)
  @Operation(nonParallelGroup = "input0") def promise0(): Unit = skip(0)
  @Operation(nonParallelGroup = "input0", runOnce = true) def close0(): Unit = shut(0)
  @Operation(nonParallelGroup = "input1") def offer1(): Unit = deliver(1)
  @Operation(nonParallelGroup = "input1") def promise1(): Unit = skip(1)
  @Operation(nonParallelGroup = "input1", runOnce = true) def close1(): Unit = shut(1)
  @Operation(nonParallelGroup = "consumer") def isDone(): Boolean = isEnd
  @Operation(nonParallelGroup = "consumer") def poll(): String = {
    val t = take()
    if (t == null) "none" else t.toString
  }
}

abstract class QueuesModel(newQueue: (Int, Int) => InputQueue) extends MergeModel {
  private val queues = Array.tabulate(2)(newQueue(_, 100))
  private val merge = new QueueMerge(queues)

  protected def offer(t: StreamTuple): Unit = {
    queues(t.source).offer(t)
    ()
  }
  protected def promise(input: Int, ts: Long): Unit = queues(input).promise(ts)
  protected def close(input: Int): Unit = queues(input).close()
  protected def take(): StreamTuple = merge.next()
  protected def isEnd: Boolean = merge.isDone
}

class LockedQueuesModel extends QueuesModel(new LockedQueue(_, _))

class LockFreeQueuesModel extends QueuesModel(new LockFreeQueue(_, _))

/** The definition, literally. */
class DefinedMergeModel extends MergeModel {
  private val order: Ordering[StreamTuple] = EventOrder.Tuples.compare(_, _)
  private var waiting = Vector.empty[StreamTuple]
  private var promised = Map[Int, StreamTuple]()
  private var open = Set(0, 1)

  protected def offer(t: StreamTuple): Unit = {
    waiting = (waiting :+ t).sorted(order)
    promised += t.source -> t
  }

  protected def promise(input: Int, ts: Long): Unit =
    promised += input -> StreamTuple.punctuation(ts, input)

  protected def close(input: Int): Unit = open -= input

  protected def take(): StreamTuple =
    waiting.headOption.filter(isReady).fold[StreamTuple](null) { t =>
      waiting = waiting.tail
      t
    }

  protected def isEnd: Boolean = open.isEmpty && waiting.isEmpty

  private def isReady(t: StreamTuple): Boolean =
    open.forall(promised.get(_).exists(order.compare(t, _) <= 0))
}
