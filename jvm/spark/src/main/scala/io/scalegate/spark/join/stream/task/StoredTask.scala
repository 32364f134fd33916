package io.scalegate.spark.join.stream.task

import scala.reflect.{ClassTag, classTag}

import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.stream.state.{Chunk, ChunkStore, JoinState}
import io.scalegate.stream.{Side, Sides}

/** A join whose rows are held in runs, all of a side together. */
trait StoredTask extends StreamTask {
  type State = JoinState

  protected def stateClass: ClassTag[JoinState] = classTag[JoinState]

  /** How each side is held. */
  protected def held: Sides[StoredSide]

  /** What both sides bring to a batch. */
  final protected def arrived(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: JoinState,
      services: BatchServices
  ): Sides[BatchInput] =
    Sides.each(side => new BatchInput(held(side), rows(side), batch, before, services))

  private[scalegate] def columns: Sides[Int] = held.map(_.columns)

  def empty: JoinState = new JoinState(held.left.empty, held.right.empty, Long.MinValue)

  def restored(store: ChunkStore): JoinState = {
    val chunks = store.chunks.toVector
    val watermark = Chunk.watermarkOf(chunks)
    def stateOf(side: Side) = held(side).restored(chunks.groupBy(_.key.kind), watermark)
    new JoinState(stateOf(Side.R), stateOf(Side.S), watermark)
  }
}
