package io.scalegate.spark.join.stream.hotkeys

/** A partition that takes a share of a hot key's rows, beside the one where the key is at home. */
final case class Replica(partition: Int, phase: Replica.Phase)

object Replica {

  /** How far a partition is on its way to be a replica, or to cease to be one. */
  sealed trait Phase

  /** It gets the copied side's rows, and none of the other's yet, for it lacks those that came before it did.
    *
    * @param until
    *   the greatest event time of these, in microseconds
    */
  final case class Filling(until: Long) extends Phase

  /** It gets its share of the one side's rows, and all of the other's. */
  case object Serving extends Phase

  /** It gets the copied side's rows for the sake of those of the other side that it has, and no more of these.
    *
    * @param until
    *   the greatest event time of these, in microseconds
    */
  final case class Leaving(until: Long) extends Phase
}
