package io.scalegate.stream

/** Which of a join's two logical streams a tuple belongs to. Any number of physical streams (sources)
  * may feed each.
  */
sealed abstract class Side(override val toString: String) {
  def opposite: Side
}

object Side {
  case object R extends Side("R") { def opposite: Side = S }
  case object S extends Side("S") { def opposite: Side = R }
}
