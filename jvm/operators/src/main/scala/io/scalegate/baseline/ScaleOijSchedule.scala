package io.scalegate.baseline

/** Which joiner takes a tuple: Scale-OIJ's dynamic balanced schedule (Zhang et al., §IV-B). Keys
  * are hashed to partitions, and each partition is served by a team of joiners, in turn. A team
  * grows, by the joiner with the least load, when one of its members has much more than that.
  *
  * It is a function of the tuples before, so all joiners that read the same tuples agree without a
  * word. One thread.
  */
final private[baseline] class ScaleOijSchedule(joiners: Int) {
  import ScaleOijSchedule._

  private[this] val teams = Array.tabulate(Partitions)(p => Vector(p % joiners))
  private[this] val turns = new Array[Int](Partitions)
  private[this] val counts = new Array[Long](Partitions)
  private[this] var tuples = 0L

  /** The joiners that have served the key. */
  def team(key: Long): Vector[Int] = teams(partition(key))

  /** The joiner for the next tuple, whose key it is. */
  def assign(key: Long): Int = {
    if (tuples > 0 && tuples % Every == 0) balance()
    tuples += 1
    val p = partition(key)
    counts(p) += 1
    turns(p) = if (turns(p) + 1 < teams(p).size) turns(p) + 1 else 0
    teams(p)(turns(p))
  }

  private[this] def partition(key: Long): Int = {
    val h = key * 0x9e3779b97f4a7c15L // Fibonacci hashing: the upper bits are mixed
    (h >>> 64 - PartitionBits).toInt
  }

  private[this] def balance(): Unit = {
    var loads = Vector.tabulate(joiners)(load)
    var busiest = loads.indices.maxBy(loads)
    var idlest = loads.indices.minBy(loads)
    while (loads(busiest) > Imbalance * loads(idlest) && grow(busiest, idlest)) {
      loads = Vector.tabulate(joiners)(load)
      busiest = loads.indices.maxBy(loads)
      idlest = loads.indices.minBy(loads)
    }
    for (p <- counts.indices) counts(p) /= 2 // the recent past counts most
  }

  private[this] def load(joiner: Int): Double =
    teams.indices.iterator.filter(teams(_).contains(joiner)).map(share).sum

  private[this] def share(p: Int): Double = counts(p).toDouble / teams(p).size

  /** Lets the idlest joiner into the team of the partition that loads the busiest one most, of
    * those that it is not in yet.
    */
  private[this] def grow(busiest: Int, idlest: Int): Boolean = {
    val open = teams.indices.filter(p =>
      teams(p).contains(busiest) && !teams(p).contains(idlest) && counts(p) > 0
    )
    open.nonEmpty && {
      val p = open.maxBy(share)
      teams(p) = teams(p) :+ idlest
      true
    }
  }
}

private object ScaleOijSchedule {
  val PartitionBits = 6
  val Partitions: Int = 1 << PartitionBits

  /** Tuples between two looks at the loads. */
  val Every = 1024

  /** The busiest joiner's load over the idlest one's that is left alone. */
  val Imbalance = 1.1
}
