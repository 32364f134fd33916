package io.scalegate.interval.sharednothing

import java.util.ArrayDeque
import java.util.concurrent.atomic.AtomicInteger

import io.scalegate.stream.{SpscRing, StreamTuple}

/** The end of one physical stream before the replicas (PPOIJ §4): collects tuples in batches, and
  * sends each to those that [[Distribution]] names. It runs in the thread of the source that feeds
  * it.
  *
  * @param channels
  *   the way to each replica
  * @param batchSize
  *   tuples of a full batch
  */
final private[sharednothing] class Emitter(
    stream: Int,
    distribution: Distribution,
    channels: IndexedSeq[SpscRing[Message]],
    batchSize: Int
) {
  /*
   * A message goes to all of its replicas at once, or waits in the outbox until there is room in
   * each of their channels; what comes behind it waits, too. So every channel has its messages in
   * the order in which they were made. A tuple is taken only while the outbox is empty: besides one
   * message it holds what a promise or the end has let go, which is bounded by the slots.
   *
   * A batch waits for its last tuple, but for no more than `patience` tuples of the stream; who has had
   * no message for as long is told the floor.
   *
   * Whose turn it is. A promise and the end have to arrive though the source never calls again. So a
   * source that leaves something in the outbox hands the emitter over, and replicas that have nothing
   * to do send for it when there is room (`help`), until the source comes back. That is the only
   * lock: a source that comes back while a replica sends waits for that, which is a few stores.
   *
   *     Own --outbox is not empty--> Open --a replica--> Helped --> Open, or Own when all was sent
   *      ^------- the source is back --+
   *
   * Memory order: what one holder wrote the next one reads, for each takes the emitter by a
   * compare-and-set of what the last one stored (volatile).
   */
  import Emitter._

  private[this] val every = Array.range(0, channels.length)
  private[this] val open = new OpenSlots
  private[this] val outbox = new ArrayDeque[Message]
  private[this] val lastSent = new Array[Long](channels.length)
  private[this] val patience = PatienceInBatches * batchSize
  private[this] var watermark = Long.MinValue
  private[this] var told = Long.MinValue
  private[this] var count = 0L
  private[this] var untilCheck = patience
  private[this] val holder = new AtomicInteger(Own)

  /** Runs what the source asks for. The source's thread. */
  def own[A](body: => A): A = {
    while (holder.get != Own && !holder.compareAndSet(Open, Own)) Thread.onSpinWait()
    try body
    finally if (!outbox.isEmpty) holder.set(Open)
  }

  /** Sends what waits and has room now; whether there was anything. A replica's thread. */
  def help(): Boolean =
    holder.get == Open && holder.compareAndSet(Open, Helped) && {
      val before = outbox.size
      send()
      val after = outbox.size
      holder.set(if (after == 0) Own else Open)
      after < before
    }

  /** Whether a tuple can be taken. */
  def hasRoom: Boolean = {
    send()
    outbox.isEmpty
  }

  /** Takes a tuple, while there is room.
    *
    * @param now
    *   the stream's watermark with it
    */
  def add(t: StreamTuple, now: Long): Unit = {
    follow()
    watermark = now
    count += 1
    val slot = distribution.slot(t)
    if (slot.size == 0) {
      slot.first = now
      slot.opened = count
      open.add(slot)
    }
    slot.add(t, batchSize)
    if (slot.size == batchSize) close(slot)
    untilCheck -= 1
    if (untilCheck == 0) check()
    tell(isLast = false)
  }

  /** Nothing before this time comes any more: sends all that has been collected. */
  def promise(ts: Long): Unit = {
    follow()
    watermark = math.max(watermark, ts)
    if (told < watermark || open.oldest != null) {
      flush()
      outbox.peekLast() match {
        case _: Punctuation => outbox.pollLast() // that says less, and was not sent
        case _ => ()
      }
      put(new Punctuation(every, watermark))
    }
    send()
  }

  /** No tuple comes any more. */
  def close(): Unit = {
    follow()
    flush()
    tell(isLast = true)
    put(new End(every))
    send()
  }

  /** Goes by the plan, if one has come. */
  private[this] def follow(): Unit = if (distribution.hasNewPlan) {
    flush()
    put(new Switch(every, distribution.newPlan(), watermark))
  }

  private[this] def tell(isLast: Boolean): Unit = {
    val counts = distribution.frequencies(isLast)
    if (counts != null) put(new Frequencies(Master, counts, floorFor(Master.head)))
  }

  private[this] def flush(): Unit = while (open.oldest != null) close(open.oldest)

  private[this] def close(slot: Slot): Unit = {
    open.remove(slot)
    put(slot.take(stream, floor))
  }

  private[this] def floor: Long = {
    val oldest = open.oldest
    if (distribution.isOneSlotEach || oldest == null) watermark else oldest.first
  }

  /** Lets go of batches that have waited for long, and speaks to who has heard nothing. */
  private[this] def check(): Unit = {
    untilCheck = patience
    while (open.oldest != null && count - open.oldest.opened >= patience) close(open.oldest)
    for (j <- lastSent.indices if count - lastSent(j) >= patience)
      put(new Progress(Array(j), floorFor(j)))
  }

  /** A replica that is not told by a batch may have tuples in a slot. */
  private[this] def floorFor(replica: Int): Long = {
    var lowest = watermark
    var slot = open.oldest
    while (slot != null) {
      if (slot.members.contains(replica)) lowest = math.min(lowest, slot.first)
      slot = open.next(slot)
    }
    lowest
  }

  private[this] def put(message: Message): Unit = {
    for (j <- message.members) lastSent(j) = count
    if (message.members.length == channels.length) told = message.floor
    outbox.add(message)
    send()
  }

  private[this] def send(): Unit =
    while (!outbox.isEmpty && isRoomFor(outbox.peek())) {
      val message = outbox.poll()
      val to = message.members
      var i = 0
      while (i < to.length) {
        channels(to(i)).offer(message)
        i += 1
      }
    }

  private[this] def isRoomFor(message: Message): Boolean = {
    val to = message.members
    var i = 0
    while (i < to.length && channels(to(i)).hasRoom(1)) i += 1
    i == to.length
  }
}

private object Emitter {
  val Own = 0
  val Open = 1
  val Helped = 2

  /** The replica that plans. */
  val Master: Array[Int] = Array(0)

  val PatienceInBatches = 64L
}
