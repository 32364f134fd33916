package io.scalegate.partition

/** Which keys are split while the load is out of balance. */
sealed trait SplitChoice

object SplitChoice {

  /** The paper's: every key in turn, heaviest first, each by one replica more, and again. Where one
    * key needs many replicas the others are split nearly as often.
    */
  case object EveryKey extends SplitChoice

  /** Past the paper: of the keys of the most loaded replica the one whose split leaves the lowest
    * load there and at the replica that it goes to. It ends when no such split lowers the highest
    * load by at least half of the work that it adds. A hot key gets the replicas it needs and cold keys stay whole.
    */
  case object Busiest extends SplitChoice
}
