package io.scalegate.band

/** The type of an attribute that a join compares, which decides how its sortable integers are
  * stored and how a distance is added to them.
  */
sealed abstract class AttributeType(val bits: Int)

object AttributeType {
  case object Int32 extends AttributeType(32)
  case object Int64 extends AttributeType(64)
  case object Float32 extends AttributeType(32)
  case object Float64 extends AttributeType(64)
}
