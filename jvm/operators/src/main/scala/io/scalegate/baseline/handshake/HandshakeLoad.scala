package io.scalegate.baseline.handshake

/** What a node of a [[HandshakeJoin]] has of one stream, by which the neighbour that sends to it
  * balances the load. Written by the node; a neighbour that reads it late forwards a little too
  * much or too little.
  */
final private[baseline] class HandshakeLoad {
  @volatile private[this] var rows = 0
  @volatile private[this] var taken = 0L
  private[this] var sent = 0L // to the next node; the node's own

  def size: Int = rows

  def set(rows: Int): Unit = if (rows != this.rows) this.rows = rows

  def receive(): Unit = taken += 1

  def send(): Unit = sent += 1

  /** Tuples on the way to the neighbour. */
  def under(neighbour: HandshakeLoad): Long = sent - neighbour.received

  def received: Long = taken
}
