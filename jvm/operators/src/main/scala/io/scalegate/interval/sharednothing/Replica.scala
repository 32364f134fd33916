package io.scalegate.interval.sharednothing

import io.scalegate.interval.{KeyEntry, KeyTable, KeyedRows}
import io.scalegate.join.ordered.{ResultOrder, ResultSink}
import io.scalegate.join.{JoinResult, JoinSpec, WorkerMetrics}
import io.scalegate.stream.{EventOrder, SpscRing, StreamTuple, Waiting, Work}

/** A replica of the interval join: takes what its collector has next, and gives its pairs.
  *
  * @param channels
  *   from each emitter
  * @param results
  *   pairs in no order, and between them punctuations: no pair behind one has a later tuple before
  *   its time
  * @param heard
  *   called with what an emitter tells the master
  * @param help
  *   sends what emitters could not, and says whether there was anything
  */
final private[sharednothing] class Replica(
    replica: Int,
    spec: JoinSpec,
    maxRows: Int,
    channels: IndexedSeq[SpscRing[Message]],
    collector: Collector,
    results: SpscRing[JoinResult],
    room: Waiting,
    heard: Frequencies => Unit,
    help: () => Boolean
) extends Work(s"scalegate-join-$replica")
    with ResultSink {
  import Replica._

  private[this] val keys = {
    val home = Array(replica)
    new KeyTable[KeyEntry](key => new KeyEntry(key, home))
  }
  private[this] var rows: KeyedRows = _
  private[this] var turn = 0
  private[this] var open = channels.length
  private[this] var untilSweep = SweepEvery
  private[this] var punctuated = Long.MinValue
  private[this] var sincePunctuation = 0
  private[this] var lowOfBatch = Long.MinValue
  @volatile private[this] var published = WorkerMetrics.Zero

  def metrics: WorkerMetrics = published

  override def prepare(): Unit = rows =
    new KeyedRows(spec, maxRows, this, Seq(keys), () => lowOfAll)

  def step(): Boolean = {
    val stream = turn
    turn = if (turn + 1 == channels.length) 0 else turn + 1
    val message = channels(stream).poll()
    if (message != null) take(stream, message)
    message != null || channels.exists(_.peek() != null) || {
      punctuate()
      help()
    }
  }

  def isFinished: Boolean = open == 0

  override def end(): Unit = {
    if (rows != null) published = rows.metrics
    results.close()
  }

  def emit(t: StreamTuple, other: StreamTuple): Unit =
    put(
      if (EventOrder.Tuples.compare(t, other) > 0) new JoinResult(t, other)
      else new JoinResult(other, t)
    )

  private[this] def take(stream: Int, message: Message): Unit = {
    message match {
      case frequencies: Frequencies => heard(frequencies)
      case _: End => open -= 1
      case _ => ()
    }
    collector.take(stream, message)
    var batch = collector.next()
    while (batch != null) {
      join(batch)
      batch = collector.next()
    }
    sincePunctuation += 1
    if (sincePunctuation >= PunctuateEvery) punctuate()
  }

  private[this] def join(batch: Batch): Unit = {
    val low = StreamTuple.heartbeat(collector.lowFor(batch))
    lowOfBatch = low.ts
    if (untilSweep <= 0) sweep(lowOfAll)
    untilSweep -= batch.size
    var i = 0
    while (i < batch.size) {
      val t = batch.tuples(i)
      val windowValue = rows.next(t)
      val key = keys.entry(t.attrs(0))
      rows.probe(low, t, t, key)
      rows.keep(low, t, windowValue, key, isMine(t, batch.members))
      i += 1
    }
  }

  /** A time that no tuple is before that is still to be joined. */
  private[this] def lowOfAll = StreamTuple.heartbeat(math.min(lowOfBatch, collector.low))

  /** Whether this replica stores the tuple: of its members the one that its hash names. */
  private[this] def isMine(t: StreamTuple, members: Array[Int]): Boolean =
    members.length == 1 || {
      val number = t.seq * 0x9e3779b97f4a7c15L + t.ts * 31 + t.source
      members(KeyTable.spread(number, members.length)) == replica
    }

  private[this] def sweep(low: StreamTuple): Unit = {
    rows.expireAll(low)
    keys.retain(keys.all.filter(rows.isReachable(_, low)))
    untilSweep = math.max(SweepEvery, 4 * keys.size)
  }

  /** Tells which times are over, once what was done until then is counted. */
  private[this] def punctuate(): Unit = {
    sincePunctuation = 0
    val low = collector.low
    if (low > punctuated) {
      punctuated = low
      published = rows.metrics
      put(ResultOrder.punctuation(StreamTuple.heartbeat(low)))
    }
  }

  private[this] def put(result: JoinResult): Unit =
    if (!results.offer(result)) room.until(results.offer(result))
}

private object Replica {
  val SweepEvery = 1024

  /** Messages between two punctuations of a replica that is busy. */
  val PunctuateEvery = 16
}
