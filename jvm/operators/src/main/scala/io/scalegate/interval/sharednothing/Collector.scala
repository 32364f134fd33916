package io.scalegate.interval.sharednothing

import java.util.ArrayDeque

import io.scalegate.column.WindowLimitException
import io.scalegate.interval.{KeyTable, Keyed}
import io.scalegate.stream.Side

/** The beginning of a replica (PPOIJ Table 1): in which order it takes what the emitters have sent,
  * and which times are over. One thread.
  *
  * @param streams
  *   the emitters
  */
abstract private[sharednothing] class Collector(streams: Int) {
  private[this] val floors = Array.fill(streams)(Long.MinValue)

  /** Takes the emitter's next message. Before the next one, [[next]] is to have returned null. */
  final def take(stream: Int, message: Message): Unit = {
    floors(stream) = math.max(floors(stream), message.floor)
    receive(stream, message)
  }

  /** The next batch in its order; null when there is none yet. */
  def next(): Batch

  /** A time that no tuple that [[next]] is still to give is before. */
  def low: Long

  /** The same for the keys of the batch that [[next]] gave last, the batch's own tuples included. */
  def lowFor(batch: Batch): Long

  protected def receive(stream: Int, message: Message): Unit

  final protected def floor(stream: Int): Long = floors(stream)

  /** The least bound of the emitters but one.
    *
    * @param but
    *   the one left out; -1 for none
    */
  final protected def lowest(but: Int, from: Long)(bound: Int => Long): Long = {
    var least = from
    var i = 0
    while (i < streams) {
      if (i != but) least = math.min(least, bound(i))
      i += 1
    }
    least
  }
}

private[sharednothing] object Collector {

  /** The emitters' turns: one of each logical stream after the other, as long as there are. */
  def turns(sides: IndexedSeq[Side]): Array[Int] = {
    val (r, s) = sides.indices.partition(sides(_) eq Side.R)
    r.zipAll(s, -1, -1).flatMap(pair => Seq(pair._1, pair._2)).filter(_ >= 0).toArray
  }

  def checkRoom(waiting: Int, most: Int): Unit =
    if (waiting > most) throw new WindowLimitException(waiting, most)
}

/** KP-OIJ: in the order of their coming. */
final private[sharednothing] class Multiplexing(streams: Int) extends Collector(streams) {
  private[this] var ready: Batch = _

  protected def receive(stream: Int, message: Message): Unit = message match {
    case b: Batch => ready = b
    case _ => ()
  }

  def next(): Batch = {
    val batch = ready
    ready = null
    batch
  }

  def low: Long = lowest(-1, Long.MaxValue)(floor)

  def lowFor(batch: Batch): Long = lowest(batch.stream, batch.first)(floor)
}

/** DP-OIJ: a batch of each emitter in turn, in all replicas alike. Else a pair could be found by the
  * replicas of both of its tuples, or by none (Examples 4.1 and 4.2).
  *
  * @param maxRows
  *   the most tuples that may wait for their turn
  */
final private[sharednothing] class RoundRobin(sides: IndexedSeq[Side], maxRows: Int)
    extends Collector(sides.length) {
  private[this] val turns = new Turns(Collector.turns(sides))

  protected def receive(stream: Int, message: Message): Unit = {
    turns.add(stream, message)
    Collector.checkRoom(turns.rows, maxRows)
  }

  def next(): Batch = turns.next()

  def low: Long = lowest(-1, Long.MaxValue)(i => turns.bound(i, floor(i)))

  def lowFor(batch: Batch): Long =
    lowest(batch.stream, batch.first)(i => turns.bound(i, floor(i)))
}

/** HP-OIJ: the batches of a key that has several replicas by turns of their own, in all of these
  * alike (Example 4.3), and the others in the order of their coming.
  */
final private[sharednothing] class RoundRobinByKey(
    replica: Int,
    sides: IndexedSeq[Side],
    maxRows: Int
) extends Collector(sides.length) {
  /*
   * A key's replicas change once, by the plan, and each emitter learns of it when it comes to. Until
   * then it sends a key's tuples to the key's first replica alone. A tuple that goes to all may be
   * stored at another one, where a tuple that goes to the first alone would not find it. So what
   * comes by the plan waits until all emitters go by it: then the first replica has all that came
   * before, and whatever follows meets it there. The paper does not say how its emitters change
   * over.
   *
   * The turns of a key begin with each emitter's word that it goes by the plan, which comes at the
   * same place in each of its channels, and go on with its batches of the key and its promises. So
   * they are the same in all replicas of the key.
   */
  private[this] val order = Collector.turns(sides)
  private[this] val direct = new ArrayDeque[Batch]
  private[this] val due = new ArrayDeque[KeyTurns]
  private[this] val goesByPlan = new Array[Boolean](sides.length)
  private[this] val ended = new Array[Boolean](sides.length)
  private[this] var toSwitch = sides.length
  private[this] var keys: KeyTable[KeyTurns] = _
  private[this] var all = Array.empty[KeyTurns]
  private[this] var waiting = 0

  protected def receive(stream: Int, message: Message): Unit = message match {
    case batch: Batch =>
      if (batch.members.length == 1) direct.add(batch)
      else {
        val key = keys.find(batch.tuples(0).attrs(0))
        key.turns.add(stream, batch)
        waiting += batch.size
        Collector.checkRoom(waiting, maxRows)
        if (toSwitch == 0) due.add(key)
      }
    case switch: Switch =>
      if (keys == null) follow(switch.plan)
      goesByPlan(stream) = true
      switched()
    case punctuation: Punctuation =>
      if (goesByPlan(stream)) addToAll(stream, punctuation)
    case end: End =>
      ended(stream) = true
      addToAll(stream, end)
      if (!goesByPlan(stream)) switched()
    case _ => ()
  }

  def next(): Batch = {
    var batch = direct.poll()
    while (batch == null && !due.isEmpty) {
      batch = due.peek().turns.next()
      if (batch == null) due.poll() else waiting -= batch.size
    }
    batch
  }

  def low: Long = lowest(-1, Long.MaxValue)(boundOfAll)

  /** Until all go by the plan, a tuple that comes directly may be of a key whose others wait. */
  def lowFor(batch: Batch): Long =
    if (batch.members.length == 1)
      lowest(batch.stream, batch.first)(if (toSwitch == 0) floor else boundOfAll)
    else {
      val turns = keys.find(batch.tuples(0).attrs(0)).turns
      lowest(batch.stream, batch.first)(i => turns.bound(i, floor(i)))
    }

  private[this] def boundOfAll(stream: Int): Long = {
    var bound = floor(stream)
    if (waiting > 0) for (key <- all) bound = math.min(bound, key.turns.bound(stream, bound))
    bound
  }

  private[this] def follow(plan: SplitPlan): Unit = {
    keys = new KeyTable[KeyTurns](key => new KeyTurns(key, new Turns(order)))
    for ((key, members) <- plan.members if members.contains(replica)) keys.entry(key)
    all = keys.all
    for (i <- ended.indices if ended(i)) addToAll(i, new End(Array(replica)))
  }

  private[this] def addToAll(stream: Int, message: Message): Unit =
    for (key <- all) {
      key.turns.add(stream, message)
      if (toSwitch == 0) due.add(key)
    }

  /** One emitter less can send by no plan. */
  private[this] def switched(): Unit = {
    toSwitch -= 1
    if (toSwitch == 0) all.foreach(due.add)
  }
}

/** The turns of one key. */
final private class KeyTurns(val key: Long, val turns: Turns) extends Keyed
