package io.scalegate.spark.join.stream.state

import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.{IntegerType, LongType, StructType}
import org.apache.spark.sql.{DataFrame, Encoders, Row, SparkSession}

import io.scalegate.spark.rows.RowStore
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.Side

/** Reads the rows that a streaming join's checkpoint holds. Spark's own reader of state gives the chunks that they are
  * written in; this takes them apart. Driver only; the rows are read when the frame is.
  */
object StateReader {

  /** Where a join without keys has its rows lie, among the columns that a checkpoint names. */
  val CellColumn = "__scalegate_cell"

  /** The held rows of one side: its columns, and before them `partition_id` and `batch`, which wrote it. Some may have
    * expired: a chunk goes when its last row does. A join without keys may hold a row in several cells, and so several
    * times.
    *
    * @param checkpoint
    *   of the query
    * @param side
    *   `left` or `right`
    * @param operator
    *   which of the query's stateful operators, from 0
    */
  def read(
      spark: SparkSession,
      checkpoint: String,
      side: String,
      operator: Int
  ): DataFrame = {
    val kinds = Chunk.ofSide(side match {
      case "left" => Side.R
      case "right" => Side.S
      case other => throw Errors.stateSide(other)
    })
    val chunks =
      spark.read.format("statestore").option("operatorId", operator.toLong).load(checkpoint)
    val value = chunks.schema("value").dataType.asInstanceOf[StructType]
    if (!value.fieldNames.contains("content")) throw Errors.stateOfOther(checkpoint, operator)
    val columns = value(side).dataType.asInstanceOf[StructType]
    val schema = StructType(
      new StructType().add("partition_id", IntegerType).add("batch", LongType) ++ columns
    )
    chunks
      .where(s"key.kind IN (${kinds.rows}, ${kinds.unmatchable}, ${kinds.waiting})")
      .selectExpr("partition_id", "key.batch", "value.count", "value.content")
      .mapPartitions { rows: Iterator[Row] =>
        val reader = new ChunkRows(columns)
        rows.flatMap { chunk =>
          reader.rows(chunk.getLong(2).toInt, chunk.getAs[Array[Byte]](3)).map { row =>
            Row.fromSeq(chunk.getInt(0) +: chunk.getLong(1) +: row.toSeq)
          }
        }
      }(Encoders.row(schema))
      .drop(CellColumn)
  }
}

/** The rows of chunks as Spark's own. */
final private class ChunkRows(columns: StructType) {
  private[this] val deserializer =
    ExpressionEncoder(columns).resolveAndBind().createDeserializer()

  def rows(count: Int, content: Array[Byte]): Iterator[Row] = {
    val store = new RowStore(columns.length, count)
    Chunk.rowsInto(store, columns.length, content)
    val row = new UnsafeRow(columns.length)
    Iterator.range(0, store.size).map { n =>
      store.point(row, n)
      deserializer(row)
    }
  }
}
