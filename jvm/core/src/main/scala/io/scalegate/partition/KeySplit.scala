package io.scalegate.partition

/** Algorithm 1 of the PPOIJ paper (§3.3): spreads keys of known frequency over replicas, and
  * splits a key over several where one replica would have too much. Few splits are better than
  * many: each replica of a key has to look at every tuple of it.
  *
  * Pure: the same input gives the same plan, so that replicas that see the same tuples agree
  * without talking. Any thread. `K` keys take `O(K log K + K · maxSplitting · replicas)` steps
  * at
  * worst with the paper's choice.
  *
  * @param replicas
  *   `N`, what the keys are spread over: threads, partitions, machines
  * @param theta
  *   `θ`: the plan is good enough when the highest load is at most so many times the average
  * @param maxSplitting
  *   the most replicas that one key may have
  * @param choice
  *   which keys are split while the plan is not good enough
  */
final class KeySplit(
    replicas: Int,
    theta: Double,
    maxSplitting: Int,
    choice: SplitChoice = SplitChoice.EveryKey
) {
  require(replicas > 0, s"keys need at least one replica, not $replicas")
  require(
    theta >= 1 && !theta.isInfinite,
    s"theta is the highest load over the average, at least 1, not $theta"
  )
  require(
    maxSplitting >= 1 && maxSplitting <= replicas,
    s"a key can be split over 1 to $replicas replicas, not over $maxSplitting"
  )

  /** Assigns each key anew, heaviest first, to the least loaded replica (lines 1 to 10), and
    * splits what that leaves unbalanced.
    *
    * @param loads
    *   each key's frequency, or any other measure of its work that a split divides evenly; not
    *   negative, in any unit
    */
  def assign(loads: Array[Double]): KeyAssignment = {
    val state = new SplitState(checked(loads), new Array(replicas), KeySplit.Nothing)
    state.order.foreach(i => state.addTo(i, state.leastLoaded(i)))
    balance(state)
  }

  /** Splits keys that have a replica already: lines 1 to 10 are left out, as the paper asks
    * when frequencies are measured while the join runs (§4.3). Each key keeps that replica.
    *
    * @param homes
    *   the replica that each key has
    * @param fixed
    *   what each replica has to do beside these keys, which nothing changes, in the loads' unit
    * @param ofEach
    *   what every replica of a key has to do for it, in how many parts ever its load is split; in
    *   the loads' unit
    */
  def rebalance(
      loads: Array[Double],
      homes: Array[Int],
      fixed: Array[Double] = new Array(replicas),
      ofEach: Array[Double] = KeySplit.Nothing
  ): KeyAssignment = {
    require(
      homes.length == loads.length,
      s"${loads.length} keys need as many replicas, not ${homes.length}"
    )
    homes.foreach(j =>
      require(j >= 0 && j < replicas, s"there is no replica $j: there are $replicas")
    )
    require(
      fixed.length == replicas,
      s"$replicas replicas have as many fixed loads, not ${fixed.length}"
    )
    require(
      (ofEach eq KeySplit.Nothing) || ofEach.length == loads.length,
      s"${loads.length} keys have as many loads of each replica, not ${ofEach.length}"
    )
    val state = new SplitState(checked(loads), checked(fixed), checked(ofEach))
    homes.indices.foreach(i => state.addTo(i, homes(i)))
    balance(state)
  }

  private[this] def balance(state: SplitState): KeyAssignment = {
    choice match {
      case SplitChoice.EveryKey => splitEveryKey(state)
      case SplitChoice.Busiest => splitOfBusiest(state)
    }
    state.result
  }

  /** Lines 11 to 29. Line 14 of the paper compares with `N`, line 27 shows that the maximum
    * splitting degree is meant.
    */
  private[this] def splitEveryKey(state: SplitState): Unit = {
    var balanced = state.isBalanced(theta)
    var canSplit = true
    while (!balanced && canSplit) {
      canSplit = false
      val keys = state.order.iterator
      while (!balanced && keys.hasNext) {
        val i = keys.next()
        if (state.degree(i) < maxSplitting && state.load(i) > 0) {
          state.addTo(i, state.leastLoaded(i))
          canSplit = true
          balanced = state.isBalanced(theta)
        }
      }
    }
  }

  private[this] def splitOfBusiest(state: SplitState): Unit = {
    var i = 0
    while (i >= 0 && !state.isBalanced(theta)) {
      i = state.bestOfBusiest(maxSplitting)
      if (i >= 0) state.addTo(i, state.leastLoaded(i))
    }
  }

  private[this] def checked(loads: Array[Double]): Array[Double] = {
    loads.foreach(f => require(f >= 0 && !f.isInfinite, s"a key cannot have a load of $f"))
    loads
  }
}

private object KeySplit {

  /** Where a split divides all that keys cost. */
  val Nothing = new Array[Double](0)
}

/** A plan in the making.
  *
  * @param fixed
  *   the load of each replica without the keys
  * @param ofEach
  *   by key, what each of its replicas bears undivided; [[KeySplit.Nothing]] for none
  */
final private class SplitState(
    keyLoads: Array[Double],
    fixed: Array[Double],
    ofEach: Array[Double]
) {
  private[this] val replicas = fixed.length
  private[this] val loads = fixed.clone()
  private[this] val members = Array.fill(keyLoads.length)(SplitState.None)
  private[this] val isMember = new Array[Boolean](replicas) // of one key, while it is looked at
  private[this] val total = keyLoads.sum + fixed.sum + ofEach.sum

  /** The keys, heaviest first, equal ones by number. */
  val order: Array[Int] =
    keyLoads.indices.toArray.sortWith((a, b) =>
      keyLoads(a) > keyLoads(b) || (keyLoads(a) == keyLoads(b) && a < b)
    )

  private[this] def whole(i: Int): Double = if (ofEach.isEmpty) 0 else ofEach(i)

  def load(i: Int): Double = keyLoads(i)

  def degree(i: Int): Int = members(i).length

  /** Gives key `i` one replica more and spreads it evenly again (lines 17 to 23). */
  def addTo(i: Int, replica: Int): Unit = {
    val present = members(i)
    val share = keyLoads(i) / (present.length + 1)
    present.foreach(j => loads(j) += share - keyLoads(i) / present.length)
    loads(replica) += share + whole(i)
    members(i) = present :+ replica
  }

  /** The replica of the lowest load that does not have key `i`; of equal ones the first. */
  def leastLoaded(i: Int): Int = {
    members(i).foreach(isMember(_) = true)
    var least = -1
    var j = 0
    while (j < replicas) {
      if (!isMember(j) && (least < 0 || loads(j) < loads(least))) least = j
      j += 1
    }
    members(i).foreach(isMember(_) = false)
    least
  }

  /** Of the keys of the most loaded replica the one to split, -1 when no split lowers its load
    * without making another as high.
    */
  def bestOfBusiest(maxSplitting: Int): Int = {
    val busiest = loads.indexOf(loads.max)
    var best = -1
    var lowest = loads(busiest) - SplitState.Rounding * total
    for (i <- order if degree(i) < maxSplitting && members(i).contains(busiest)) {
      val highest = highestAfterSplit(i, busiest)
      if (highest < lowest && highest + whole(i) * SplitState.LeastGain < loads(busiest)) {
        best = i
        lowest = highest
      }
    }
    best
  }

  private[this] def highestAfterSplit(i: Int, busiest: Int): Double = {
    val share = keyLoads(i) / (degree(i) + 1)
    math.max(loads(busiest) - share / degree(i), loads(leastLoaded(i)) + share + whole(i))
  }

  /** The paper's `isBalanced`: no load above `theta` times the average, and none at zero. Sums of
    * shares round, so equal loads may differ in their last digits.
    */
  def isBalanced(theta: Double): Boolean =
    total == 0 || (KeyAssignment.imbalance(loads) <= theta + SplitState.Rounding &&
      loads.forall(_ > SplitState.Rounding * total))

  def result: KeyAssignment = new KeyAssignment(members.map(_.toVector).toVector, loads.toVector)
}

private object SplitState {
  val Rounding = 1e-9

  /** What a split takes off the highest load must be this share of what it adds to all work. */
  val LeastGain = 0.5
  val None = new Array[Int](0)
}
