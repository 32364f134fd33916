package io.scalegate.join.interval

import io.scalegate.stream.StreamTuple

/** Which replicas store a key's tuples. Every replica has a placement of its own; all take the
  * same tuples in the same order and so decide alike, without a word between them: PPOIJ's master
  * and feedback channels (§4.3) are not needed.
  *
  * A placement says only who stores. Who probes follows from that: a replica probes with every
  * tuple of a key for which it holds rows. So a pair is found once and by one replica, the
  * one that holds its earlier tuple, whenever and however often members change: no row has to
  * move, none is lost and none doubled.
  */
abstract private[interval] class KeyPlacement {

  /** The members of a key that is new. */
  def home(key: Long): Array[Int]

  /** Takes note of a tuple, before it is stored. */
  def observe(e: KeyEntry, t: StreamTuple): Unit

  /** Whether [[plan]] is to be called before the next tuple. */
  def isPlanDue: Boolean

  /** Gives keys other members where that is called for. */
  def plan(keys: KeyTable): Unit

  def splitting: KeySplitting
}

private[interval] object KeyPlacement {
  def apply(pattern: IntervalPattern, replicas: Int, load: KeyLoad): KeyPlacement =
    pattern match {
      case IntervalPattern.KeyPartitioned => new KeyPartitioning(replicas)
      case IntervalPattern.DataPartitioned => new DataPartitioning(replicas)
      case hybrid: IntervalPattern.Hybrid => new HybridPlacement(hybrid, replicas, load)
    }
}

/** How keys are split at present.
  *
  * @param plans
  *   how often keys were assigned by Algorithm 1
  * @param averageDegree
  *   the average splitting degree of the keys that the last plan knew
  * @param highestDegree
  *   the highest of them
  */
final case class KeySplitting(plans: Int, averageDegree: Double, highestDegree: Int)

/** A placement that nothing changes. */
abstract private[interval] class FixedPlacement(degree: Int) extends KeyPlacement {
  final def observe(e: KeyEntry, t: StreamTuple): Unit = ()
  final def isPlanDue: Boolean = false
  final def plan(keys: KeyTable): Unit = ()
  final val splitting: KeySplitting = KeySplitting(0, degree.toDouble, degree)
}

/** KP-OIJ (§3.1): a key's replica is its hash. */
final private[interval] class KeyPartitioning(replicas: Int) extends FixedPlacement(1) {
  private[this] val single = Array.tabulate(replicas)(Array(_))

  def home(key: Long): Array[Int] = single(KeyTable.spread(key, replicas))
}

/** DP-OIJ (§3.2): every key has all replicas. */
final private[interval] class DataPartitioning(replicas: Int) extends FixedPlacement(replicas) {
  private[this] val every = Array.range(0, replicas)

  def home(key: Long): Array[Int] = every
}

/** HP-OIJ (§3.3, §4.3): KP until the first plan, then Algorithm 1 on measured loads, with each
  * key's first replica where it was. A key that appears later starts like one of KP.
  *
  * Past the paper: frequencies go on being counted, older ones for half as much with every look,
  * and when the loads that the present members would have are out of balance, keys are assigned anew: a
  * key that has grown cold is one replica's again.
  */
final private[interval] class HybridPlacement(
    pattern: IntervalPattern.Hybrid,
    replicas: Int,
    load: KeyLoad
) extends KeyPlacement {
  private[this] val homes = new KeyPartitioning(replicas)
  private[this] val split =
    new KeySplit(
      replicas,
      pattern.theta,
      math.min(pattern.maxSplitting.getOrElse(replicas), replicas)
    )
  private[this] var untilPlan = pattern.calibration
  private[this] var current = KeySplitting(0, 1, 1)

  def home(key: Long): Array[Int] = homes.home(key)

  def observe(e: KeyEntry, t: StreamTuple): Unit = {
    e.side(t.side).count += 1
    load.observe(t)
    untilPlan -= 1
  }

  def isPlanDue: Boolean = untilPlan <= 0

  def plan(keys: KeyTable): Unit = {
    val entries = keys.all
    val loads = load.of(entries)
    if (current.plans == 0 || isDrifted(entries, loads)) assign(entries, loads)
    entries.foreach { e =>
      e.r.count >>>= 1
      e.s.count >>>= 1
    }
    load.age()
    untilPlan =
      math.max(pattern.calibration, entries.length / 2) // less: no key would be forgotten
  }

  def splitting: KeySplitting = current

  private[this] def assign(entries: Array[KeyEntry], loads: Array[Double]): Unit = {
    val plan = split.rebalance(loads, entries.map(_.members(0)))
    for (i <- entries.indices)
      if (entries(i).members.length != plan.degree(i) || plan.degree(i) > 1)
        entries(i).members = plan.replicasOf(i).toArray
    val highest = if (entries.isEmpty) 1 else entries.indices.map(plan.degree).max
    current = KeySplitting(current.plans + 1, plan.averageDegree, highest)
  }

  private[this] def isDrifted(entries: Array[KeyEntry], loads: Array[Double]): Boolean = {
    val byReplica = new Array[Double](replicas)
    for (i <- entries.indices) {
      val members = entries(i).members
      members.foreach(j => byReplica(j) += loads(i) / members.length)
    }
    KeyAssignment.imbalance(byReplica) > pattern.drift
  }
}
