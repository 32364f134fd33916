package io.scalegate.interval.sharednothing

import java.util.ArrayDeque

/** Brings the messages of several emitters into one order, which is the same wherever the same
  * messages come: a batch of each emitter in turn (PPOIJ §4.2). What comes before its turn waits.
  * One thread.
  *
  * @param order
  *   the emitters' numbers in the order of their turns
  */
final private[sharednothing] class Turns(order: Array[Int]) {
  /*
   * Past the paper, a promise stands for turns: an emitter that has promised a time is passed over
   * until it is the turn of a batch that begins after that time. Without that the others would
   * wait for one that has nothing to send. When all have promised, the one that has promised least is
   * next.
   *
   * The order is a function of the emitters' messages alone: whether a message has come or not, it
   * only decides whether the next one can be named yet.
   */
  import Turns._

  private[this] val n = order.length
  private[this] val queues = Array.fill(n)(new ArrayDeque[Message])
  private[this] val promised = Array.fill(n)(Nothing)
  private[this] val ended = new Array[Boolean](n)
  private[this] val placeOf = Array.tabulate(n)(order.indexOf(_))
  private[this] var turn = 0
  private[this] var waiting = 0

  /** Tuples that wait for their turn. */
  def rows: Int = waiting

  /** Takes a batch, a punctuation or an end. */
  def add(stream: Int, message: Message): Unit = {
    queues(placeOf(stream)).add(message)
    message match {
      case b: Batch => waiting += b.size
      case _ => ()
    }
  }

  /** The next batch; null when it has not come. */
  def next(): Batch = {
    var found: Batch = null
    var goesOn = true
    while (goesOn) {
      val at = current()
      val head = if (at < 0) null else queues(at).peek()
      head match {
        case null => goesOn = false
        case batch: Batch =>
          val earlier = leastPromised()
          if (earlier >= 0 && promised(earlier) < batch.first) wake(earlier)
          else {
            found = batch
            waiting -= batch.size
            goesOn = false
            pass(at)
          }
        case _: End =>
          ended(at) = true
          pass(at)
        case promise =>
          promised(at) = promise.floor
          pass(at)
      }
    }
    found
  }

  /** A time that none of the emitter's tuples that wait here is before; `unless` if none waits. */
  def bound(stream: Int, unless: Long): Long = {
    val head = queues(placeOf(stream)).peek()
    if (head == null) unless else head.first
  }

  private[this] def pass(at: Int): Unit = {
    queues(at).poll()
    turn = if (at + 1 == n) 0 else at + 1
  }

  private[this] def wake(at: Int): Unit = {
    promised(at) = Nothing
    turn = at
  }

  /** The place of the emitter whose turn it is; -1 when all have ended. */
  private[this] def current(): Int = {
    var at = turn
    var looked = 0
    while (looked < n && (ended(at) || promised(at) != Nothing)) {
      at = if (at + 1 == n) 0 else at + 1
      looked += 1
    }
    if (looked < n) at
    else {
      val least = leastPromised()
      if (least >= 0) wake(least)
      least
    }
  }

  /** Of the emitters that have promised a time, the place of the one with the least; -1 for none. */
  private[this] def leastPromised(): Int = {
    var least = -1
    var at = 0
    while (at < n) {
      if (
        !ended(at) && promised(at) != Nothing &&
        (least < 0 || promised(at) < promised(least))
      ) least = at
      at += 1
    }
    least
  }
}

private object Turns {

  /** In place of a promised time. */
  val Nothing: Long = Long.MinValue
}
