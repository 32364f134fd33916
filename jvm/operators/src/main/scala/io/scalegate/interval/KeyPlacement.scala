package io.scalegate.interval

import io.scalegate.partition.{KeyAssignment, KeySplit}
import io.scalegate.stream.{StreamTuple, Window}

/** Which replicas store a key's tuples, as one of the replicas sees it. All take note of the same
  * tuples in the same order and so decide alike, without a word between them: PPOIJ's master and
  * feedback channels (§4.3) are not needed.
  *
  * A placement says only who stores. A replica probes with every tuple of a key that it stores
  * or has stored in the past. So a pair is found once and by one replica, the one that holds its
  * earlier tuple, whenever and however often members change: no row has to move, none is lost
  * and none doubled.
  */
abstract private[interval] class KeyPlacement {

  /** Whether every key of this hash (see [[KeyTable.hash]]) concerns this replica, be it new or not. */
  def isHome(hash: Long): Boolean

  /** The members of a key that no plan has split. */
  def home(key: Long): Array[Int]

  /** Takes note of a tuple, whomever it concerns. */
  def observe(t: StreamTuple): Unit

  /** Whether [[plan]] is to be called before the next tuple. */
  def isPlanDue: Boolean

  /** Splits keys anew where that is called for, and returns whether it has. */
  def plan(): Boolean

  /** The keys that are split at present, and their members. */
  def splits: Map[Long, Array[Int]]

  def splitting: KeySplitting
}

private[interval] object KeyPlacement {
  def apply(
      pattern: IntervalPattern,
      replica: Int,
      replicas: Int,
      window: Window
  ): KeyPlacement =
    pattern match {
      case IntervalPattern.KeyPartitioned => new KeyPartitioning(replica, replicas)
      case IntervalPattern.DataPartitioned => new DataPartitioning(replicas)
      case _ if replicas == 1 => new KeyPartitioning(replica, replicas)
      case hybrid: IntervalPattern.Hybrid =>
        new HybridPlacement(hybrid, replica, replicas, new KeyLoad(window, hybrid.tupleCost))
      case c: IntervalPattern.Calibrated =>
        val load = new KeyLoad(window, tupleCost = 0, byFrequency = true)
        new HybridPlacement(c.hybrid, replica, replicas, load)
    }
}

/** A placement that nothing changes. */
abstract private[interval] class FixedPlacement(degree: Int) extends KeyPlacement {
  final def observe(t: StreamTuple): Unit = ()
  final def isPlanDue: Boolean = false
  final def plan(): Boolean = false
  final def splits: Map[Long, Array[Int]] = Map.empty
  final val splitting: KeySplitting = KeySplitting(0, degree.toDouble, degree)
}

/** KP-OIJ (§3.1): a key's replica is its hash. */
final private[interval] class KeyPartitioning(replica: Int, replicas: Int)
    extends FixedPlacement(1) {
  private[this] val single = Array.tabulate(replicas)(Array(_))

  def isHome(hash: Long): Boolean = KeyTable.share(hash, replicas) == replica

  def home(key: Long): Array[Int] = single(KeyTable.spread(key, replicas))
}

/** DP-OIJ (§3.2): every key has all replicas. */
final private[interval] class DataPartitioning(replicas: Int) extends FixedPlacement(replicas) {
  private[this] val every = Array.range(0, replicas)

  def isHome(hash: Long): Boolean = true

  def home(key: Long): Array[Int] = every
}

/** HP-OIJ (§3.3, §4.3): KP until the first plan, then Algorithm 1 on measured loads, with each
  * key's first replica where it was. A key that appears later starts like one of KP.
  *
  * Past the paper: tuples go on being counted, one in [[HybridPlacement.SampleEvery]] of them
  * and older ones for half as much with every look. When the loads that the present members
  * would have are out of balance, keys are assigned anew, and one that has grown cold is its
  * first replica's again.
  */
final private[interval] class HybridPlacement(
    pattern: IntervalPattern.Hybrid,
    replica: Int,
    replicas: Int,
    load: KeyLoad
) extends KeyPlacement {
  import HybridPlacement._

  private[this] val homes = new KeyPartitioning(replica, replicas)
  private[this] val algorithm =
    new KeySplit(
      replicas,
      pattern.theta,
      math.min(pattern.maxSplitting.getOrElse(replicas), replicas),
      pattern.choice
    )
  private[this] var untilPlan = pattern.calibration
  private[this] var gap = 1 // between the tuple counted last and the next
  private[this] var untilCount = 1
  private[this] var dice = 1L
  private[this] var split = newTable()
  private[this] var last = KeySplitting(0, 1, 1)

  def isHome(hash: Long): Boolean = homes.isHome(hash)

  def home(key: Long): Array[Int] = homes.home(key)

  def observe(t: StreamTuple): Unit = {
    untilCount -= 1
    if (untilCount == 0) count(t)
  }

  def isPlanDue: Boolean = untilPlan <= 0

  def plan(): Boolean = {
    val measured = load.measure()
    val present = loadsOf(measured)
    val isLooked = last.plans == 0 || KeyAssignment.imbalance(present) > pattern.drift
    val isPlanned = isLooked && assign(measured, present.max)
    load.age()
    // The older half is in the counts. A look takes time for each key, so it waits for more tuples.
    untilPlan = math.max(math.max(pattern.calibration / 2, 2 * measured.keys.length), 1)
    isPlanned
  }

  def splits: Map[Long, Array[Int]] = split.all.map(e => e.key -> e.members).toMap

  def splitting: KeySplitting = last

  private[this] def newTable() = new KeyTable[KeyEntry](key => new KeyEntry(key, home(key)))

  private[this] def count(t: StreamTuple): Unit = {
    load.count(t, gap)
    untilPlan -= 1
    gap = if (last.plans == 0) 1 else randomGap()
    untilCount = gap
  }

  /** From 1 to `2 * SampleEvery - 1`, by the same throws of the dice in every replica. Every n-th
    * tuple will not do: streams alternate.
    */
  private[this] def randomGap(): Int = {
    dice = dice * 0x5851f42d4c957f2dL + 1
    1 + ((dice >>> 33) % (2 * SampleEvery - 1)).toInt
  }

  /** Assigns the keys anew, unless there is a plan that is hardly worse: what a split does not
    * divide may be out of balance for good.
    *
    * @param highest
    *   the highest load of a replica at present
    */
  private[this] def assign(measured: KeyLoads, highest: Double): Boolean = {
    val plan = algorithm.rebalance(
      measured.loads,
      measured.keys.map(KeyTable.spread(_, replicas)),
      ofEach = measured.ofEach
    )
    val isBetter = last.plans == 0 || highest > plan.loads.max * pattern.drift / pattern.theta
    if (isBetter) {
      val degrees = measured.keys.indices.map(plan.degree)
      split = newTable()
      for (i <- measured.keys.indices if degrees(i) > 1)
        split.entry(measured.keys(i)).assign(plan.replicasOf(i).toArray, pinned = true)
      last = KeySplitting(last.plans + 1, plan.averageDegree, degrees.maxOption.getOrElse(1))
    }
    isBetter
  }

  /** By replica, with the present members. */
  private[this] def loadsOf(measured: KeyLoads): Array[Double] = {
    val byReplica = new Array[Double](replicas)
    var i = 0
    while (i < measured.keys.length) {
      val e = split.find(measured.keys(i))
      val members = if (e == null) home(measured.keys(i)) else e.members
      var m = 0
      while (m < members.length) {
        byReplica(members(m)) += measured.loads(i) / members.length + measured.ofEach(i)
        m += 1
      }
      i += 1
    }
    byReplica
  }
}

private[interval] object HybridPlacement {

  /** Of so many tuples one is counted, on average, once the first plan is made. */
  val SampleEvery = 16
}
