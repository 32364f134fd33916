package org.apache.spark.sql.scalegate.bench

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead.RecordStatus
import org.apache.spark.sql.connector.read.streaming.{
  Offset => SourceOffset,
  PartitionOffset,
  ReadLimit,
  SupportsRealTimeMode,
  SupportsRealTimeRead
}
import org.apache.spark.sql.connector.read.{
  InputPartition,
  PartitionReader,
  PartitionReaderFactory
}
import org.apache.spark.sql.execution.streaming.Offset
import org.apache.spark.sql.execution.streaming.runtime.{
  ContinuousRecordPartitionOffset,
  MemoryStreamBaseClass
}
import org.apache.spark.sql.{Encoder, Encoders}

import io.scalegate.bench.live.LiveEvent

/** A stream of one partition whose events come from this JVM, in batches and in Real-Time Mode, where its reader is woken
  * by each event: Spark's own for tests looks every 10 ms.
  */
final class Feed private (id: Int, session: SparkSession, encoder: Encoder[LiveEvent])
    extends MemoryStreamBaseClass[LiveEvent](id, session)(encoder)
    with SupportsRealTimeMode {
  private[this] val events = new FedEvents
  Feed.all.put(id, events)

  def add(event: LiveEvent): Unit = events.add(toRow(event).copy().asInstanceOf[UnsafeRow])

  override def addData(data: IterableOnce[LiveEvent]): Offset = {
    data.iterator.foreach(add)
    FedUntil(events.size)
  }

  override def initialOffset(): SourceOffset = FedUntil(0)
  override def latestOffset(start: SourceOffset, limit: ReadLimit): SourceOffset = latestOffset()
  override def latestOffset(): SourceOffset = FedUntil(events.size)
  override def deserializeOffset(json: String): SourceOffset = FedUntil(json.toInt)
  override def mergeOffsets(offsets: Array[PartitionOffset]): SourceOffset =
    FedUntil(offsets.collect { case ContinuousRecordPartitionOffset(_, n) => n }.head)

  override def planInputPartitions(start: SourceOffset): Array[InputPartition] =
    partitions(start, Int.MaxValue)
  override def planInputPartitions(
      start: SourceOffset,
      end: SourceOffset
  ): Array[InputPartition] = partitions(start, end.asInstanceOf[FedUntil].events)

  private[this] def partitions(start: SourceOffset, end: Int): Array[InputPartition] =
    Array(FedPartition(id, start.asInstanceOf[FedUntil].events, end))

  override def createReaderFactory(): PartitionReaderFactory = FedReaders
  override def stop(): Unit = { Feed.all.remove(id); () }
  override def commit(end: SourceOffset): Unit = ()
}

object Feed {
  private[bench] val all = new ConcurrentHashMap[Int, FedEvents]
  private[this] val ids = new AtomicInteger

  def apply(session: SparkSession): Feed =
    new Feed(ids.getAndIncrement(), session, Encoders.product[LiveEvent])
}

/** The events so far. Any thread. */
final private[bench] class FedEvents {
  private[this] val rows = new ArrayBuffer[UnsafeRow]

  def size: Int = synchronized(rows.size)

  def add(row: UnsafeRow): Unit = synchronized {
    rows += row
    notifyAll()
  }

  /** None where there is none until this moment, in milliseconds. */
  def await(i: Int, until: Long): Option[UnsafeRow] = synchronized {
    var left = until - System.currentTimeMillis
    while (rows.size <= i && left > 0) {
      wait(left)
      left = until - System.currentTimeMillis
    }
    Option.when(rows.size > i)(rows(i))
  }
}

final private case class FedUntil(events: Int) extends Offset {
  override def json(): String = events.toString
}

final private case class FedPartition(id: Int, from: Int, to: Int) extends InputPartition

private object FedReaders extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new FedReader(partition.asInstanceOf[FedPartition])
}

final private class FedReader(partition: FedPartition)
    extends SupportsRealTimeRead[InternalRow] {
  private[this] val events = Feed.all.get(partition.id)
  private[this] var at = partition.from
  private[this] var row: UnsafeRow = _

  private[this] def read(until: Long): Boolean = {
    val found = if (at < partition.to) events.await(at, until) else None
    found.foreach { event =>
      row = event
      at += 1
    }
    found.nonEmpty
  }

  override def nextWithTimeout(
      start: java.lang.Long,
      timeout: java.lang.Long
  ): RecordStatus = RecordStatus.newStatusWithoutArrivalTime(read(start + timeout))

  override def next(): Boolean = read(0L)
  override def get(): InternalRow = row
  override def getOffset: PartitionOffset = ContinuousRecordPartitionOffset(0, at)
  override def close(): Unit = ()
}
