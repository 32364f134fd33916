package io.scalegate.lookup

/** Where, in the order of an attribute, the rows lie that a probe may find: at or before its own value, at or after it,
  * or on either side.
  */
sealed abstract class Direction(val name: String) {
  override def toString: String = name
}

object Direction {
  case object Backward extends Direction("backward")
  case object Forward extends Direction("forward")
  case object Nearest extends Direction("nearest")

  val all: Seq[Direction] = Seq(Backward, Forward, Nearest)

  def from(name: String): Option[Direction] = all.find(_.name.equalsIgnoreCase(name))
}
