package io.scalegate.documents

import io.scalegate.stream.{Side, StreamTuple}

/** What the documents' blocks of Scala take for granted: a reader's own tuples, each a meter's name and its watts. */
trait PageNames {
  val tuple: StreamTuple = new StreamTuple(0L, 3, 0L, Side.R, Array.empty, ("m1", 40L))

  def meter(t: StreamTuple): String = reading(t)._1
  def watts(t: StreamTuple): Long = reading(t)._2
  def log(t: StreamTuple): Unit = println(s"late: $t")

  private[this] def reading(t: StreamTuple) = t.row.asInstanceOf[(String, Long)]
}
