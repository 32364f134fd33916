package org.apache.spark.sql.scalegate.stream

import java.nio.file.Files
import java.util.UUID

import org.apache.commons.io.FileUtils
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{LongType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.spark.join.stream.state.{Chunk, ChunkKey}

final class ChunkStateStoreSuite extends AnyFunSuite {
  private val valueSchema = ChunkStateStore.valueSchema(Nil, Nil)

  private def numbers(columns: Int) =
    (0 until columns).foldLeft(new StructType())((s, i) => s.add(s"c$i", LongType))

  /** A store for rows of these columns, over files of its own. */
  private def inStore(key: StructType, value: StructType)(use: StateStore => Unit): Unit = {
    val directory = Files.createTempDirectory("chunks")
    val provider = StateStoreProvider.createAndInit(
      StateStoreProviderId(StateStoreId(directory.toString, 0, 0), UUID.randomUUID),
      key,
      value,
      NoPrefixKeyStateEncoderSpec(key),
      useColumnFamilies = false,
      new StateStoreConf(new SQLConf),
      new Configuration,
      useMultipleValuesPerKey = false,
      stateSchemaProvider = None
    )
    val store = provider.getStore(0)
    try use(store)
    finally {
      store.abort()
      provider.close()
      FileUtils.deleteQuietly(directory.toFile)
      ()
    }
  }

  private def row(schema: StructType) =
    UnsafeProjection.create(schema)(InternalRow.fromSeq(schema.indices.map(_ => Long.MaxValue)))

  test("chunks are read as they were put") {
    inStore(ChunkStateStore.KeySchema, valueSchema) { store =>
      val chunks = new ChunkStateStore(store, valueSchema)
      chunks.put(Chunk(ChunkKey(1, 2, 3), 4, 5, Array[Byte](6, 7)))
      chunks.put(Chunk(ChunkKey(1, 3, 0), 4, 0, Array.emptyByteArray))
      val read = chunks.chunks.map(c => (c.key, c.latest, c.count, c.content.toSeq)).toSet
      assert(
        read == Set((ChunkKey(1, 2, 3), 4, 5, Seq[Byte](6, 7)), (ChunkKey(1, 3, 0), 4, 0, Nil))
      )
    }
  }

  for ((key, value) <- Seq((4, 5), (3, 5), (3, 1)))
    test(s"rows of another operator, $key columns and $value, are told from chunks") {
      inStore(numbers(key), numbers(value)) { store =>
        store.put(row(numbers(key)), row(numbers(value)))
        val message = intercept[Exception](
          new ChunkStateStore(store, valueSchema).chunks.toVector
        ).getMessage
        assert(message.contains("holds rows of another operator"), message)
      }
    }
}
