package io.scalegate.join

import io.scalegate.stream.{Side, StreamTuple, TupleSource}

/** Where one physical stream enters a two-sided join. */
trait JoinSource extends TupleSource {

  /** The logical stream that it belongs to. */
  def side: Side

  /** Whether [[tryAdd]] takes the tuple; throws what that throws. Once true it stays true until this
    * source delivers, advances or closes, or the join ends. For one that would make its tuples in vain.
    */
  def canAdd(t: StreamTuple): Boolean
}
