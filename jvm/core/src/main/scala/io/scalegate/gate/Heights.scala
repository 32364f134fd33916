package io.scalegate.gate

/** Heights for the nodes of a list with shortcuts, geometrically distributed: one in four has a second level, one in
  * sixteen a third. One thread, whose nodes they are.
  */
final private[gate] class Heights(most: Int) {
  private[this] var random = 0x9e3779b9

  def next(): Int = {
    random ^= random << 13
    random ^= random >>> 17
    random ^= random << 5
    math.min(most, 1 + Integer.numberOfTrailingZeros(random) / 2)
  }
}
