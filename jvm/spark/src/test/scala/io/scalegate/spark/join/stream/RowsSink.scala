package io.scalegate.spark.join.stream

import java.util
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable

import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.connector.catalog.{
  SupportsWrite,
  Table,
  TableCapability,
  TableProvider
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Gives a test each batch of a stream, as the texts of its rows in the order of the partitions: the format of a
  * query's writer, with the option [[RowsSink.To]]. The rows leave by the batch's own plan. `foreachBatch`, of which
  * each batch plans and runs a second query, takes a sixth of a small batch's time.
  */
final class RowsSink extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType = new StructType

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = new RowsSink.Written(RowsSink.takers.get(properties.get(RowsSink.To).toLong))
}

object RowsSink {

  /** What takes a batch: its number, and the texts of its rows. The batch fails with what this throws. */
  type Taker = (Long, Seq[String]) => Unit

  /** The option that says which taker gets the batches: its value is what [[taking]] gives. */
  val To: String = "to"

  private val takers = new ConcurrentHashMap[Long, Taker]
  private val registered = new AtomicLong

  /** Starts a query whose batches the taker gets.
    *
    * @param start
    *   starts it, and is given the value of the option [[To]]
    */
  def taking[T](taker: Taker)(start: Long => T): T = {
    val id = registered.incrementAndGet()
    takers.put(id, taker)
    // A query's sink is made, and has its taker, before the query is started.
    try start(id)
    finally takers.remove(id)
  }

  final private class Written(taker: Taker) extends Table with SupportsWrite {
    override def name: String = "a test's rows"
    override def schema: StructType = new StructType
    override def capabilities: util.Set[TableCapability] =
      util.EnumSet.of(TableCapability.STREAMING_WRITE, TableCapability.TRUNCATE)

    override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
      new WriteBuilder with SupportsTruncate with SupportsStreamingUpdateAsAppend {
        override def truncate(): WriteBuilder = this
        override def build(): Write = new Write {
          override def toStreaming: StreamingWrite = new Batches(info.schema, taker)
        }
      }
  }

  final private class Batches(schema: StructType, taker: Taker) extends StreamingWrite {
    override def createStreamingWriterFactory(info: PhysicalWriteInfo)
        : StreamingDataWriterFactory =
      new Partitions(schema)
    override def commit(batch: Long, partitions: Array[WriterCommitMessage]): Unit =
      taker(batch, partitions.toSeq.collect { case Texts(rows) => rows }.flatten)
    override def abort(batch: Long, partitions: Array[WriterCommitMessage]): Unit = ()
  }

  final private case class Texts(rows: Seq[String]) extends WriterCommitMessage

  final private class Partitions(schema: StructType) extends StreamingDataWriterFactory {
    override def createWriter(partition: Int, task: Long, batch: Long): DataWriter[InternalRow] =
      new DataWriter[InternalRow] {
        private[this] val toRow = CatalystTypeConverters.createToScalaConverter(schema)
        private[this] val texts = mutable.ArrayBuffer.empty[String]

        override def write(row: InternalRow): Unit = texts += toRow(row).toString
        override def commit(): WriterCommitMessage = Texts(texts.toSeq)
        override def abort(): Unit = ()
        override def close(): Unit = ()
      }
  }
}
