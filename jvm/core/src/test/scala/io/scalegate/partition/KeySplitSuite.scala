package io.scalegate.partition

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Algorithm 1 on examples worked by hand, and what holds of every plan. */
final class KeySplitSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** The paper's Fig. 2: three keys on two replicas. */
  private val figure2 = Array(0.6, 0.2, 0.2)

  private def replicas(plan: KeyAssignment): Seq[Seq[Int]] = plan.replicasOf

  private def assertLoads(plan: KeyAssignment, expected: Double*): Unit = {
    assert(plan.loads.size == expected.size)
    for ((load, e) <- plan.loads.zip(expected)) assert(math.abs(load - e) < 1e-9)
  }

  test(
    "keys go to the least loaded replica, heaviest first, and are whole while that is balanced"
  ) {
    val plan = new KeySplit(2, theta = 1.25, maxSplitting = 2).assign(figure2)
    assert(replicas(plan) == Seq(Seq(0), Seq(1), Seq(1)))
    assertLoads(plan, 0.6, 0.4)
    assert(plan.averageDegree == 1)
  }

  test("beyond theta keys are split one after the other, heaviest first, until it is balanced") {
    val plan = new KeySplit(2, theta = 1.1, maxSplitting = 2).assign(figure2)
    // 0.3 + 0, 0.4 + 0.3: too much; 0.3 + 0.1, 0.3 + 0.1 + 0.2: too much; then all are even
    assert(replicas(plan) == Seq(Seq(0, 1), Seq(1, 0), Seq(1, 0)))
    assertLoads(plan, 0.5, 0.5)
    assert(plan.imbalance < 1 + 1e-9)
  }

  test("a key's frequency is spread anew over each replica more") {
    val plan = new KeySplit(4, theta = 1, maxSplitting = 4).assign(Array(1.0))
    assert(replicas(plan) == Seq(Seq(0, 1, 2, 3)))
    assertLoads(plan, 0.25, 0.25, 0.25, 0.25)
  }

  test("the maximum splitting degree ends the search, balanced or not") {
    val plan = new KeySplit(4, theta = 1, maxSplitting = 2).assign(Array(1.0))
    assert(replicas(plan) == Seq(Seq(0, 1)))
    assertLoads(plan, 0.5, 0.5, 0, 0)
    assert(plan.imbalance == 2)
  }

  test("with measured frequencies each key stays where it was and gets others beside") {
    val split = new KeySplit(3, theta = 1.5, maxSplitting = 3)
    val plan = split.rebalance(Array(0.5, 0.3, 0.2), Array(2, 2, 2))
    // highest loads on the way: 1.0; 0.75 with the first split; 0.6 with the second; 0.5
    assert(replicas(plan) == Seq(Seq(2, 0), Seq(2, 1), Seq(2, 1)))
    assertLoads(plan, 0.25, 0.25, 0.5)
  }

  test("what replicas have to do beside the keys counts, and moves nowhere") {
    val split = new KeySplit(3, theta = 1.25, maxSplitting = 3, SplitChoice.Busiest)
    val plan = split.rebalance(Array(0.6, 0.1), Array(0, 1), fixed = Array(0.1, 0.1, 0.1))
    assert(replicas(plan) == Seq(Seq(0, 2), Seq(1)))
    assertLoads(plan, 0.4, 0.2, 0.4)
    val even = split.rebalance(Array(0.1), Array(0), fixed = Array(1.0, 1.0, 1.0))
    assert(replicas(even) == Seq(Seq(0)))
    intercept[IllegalArgumentException](split.rebalance(Array(1.0), Array(0), Array(1.0)))
  }

  test("a replica without load is not balanced, however large theta is") {
    val split = new KeySplit(2, theta = 100, maxSplitting = 2)
    assert(replicas(split.rebalance(Array(1.0, 1.0), Array(0, 0))) == Seq(Seq(0, 1), Seq(0)))
  }

  test("keys without load are placed and never split; no keys need no plan") {
    val split = new KeySplit(3, theta = 1, maxSplitting = 3)
    assert(replicas(split.rebalance(Array(0.0, 4.0), Array(1, 1))) == Seq(Seq(1), Seq(1, 0, 2)))
    assert(split.assign(Array(0.0, 0.0)).averageDegree == 1)
    val none = split.assign(Array.empty)
    assert(none.averageDegree == 0 && none.imbalance == 1)
  }

  private val plans = for {
    n <- Gen.choose(1, 9)
    theta <- Gen.oneOf(1.0, 1.05, 1.3, 4.0)
    most <- Gen.choose(1, n)
    loads <- Gen.listOf(Gen.frequency(1 -> Gen.const(0.0), 5 -> Gen.choose(0.0, 100.0)))
    homes <- Gen.listOfN(loads.size, Gen.choose(0, n - 1))
    measured <- Gen.oneOf(true, false)
    choice <- Gen.oneOf(SplitChoice.EveryKey, SplitChoice.Busiest)
  } yield {
    val split = new KeySplit(n, theta, most, choice)
    val plan =
      if (measured) split.rebalance(loads.toArray, homes.toArray) else split.assign(loads.toArray)
    val first = if (measured) homes else plan.replicasOf.map(_.head).toList
    (n, theta, (most, choice), loads, first, plan)
  }

  test("every key has replicas of its own, its first in front, and every load is accounted for") {
    forAll(plans) { case (n, theta, (most, choice), loads, homes, plan) =>
      val members = plan.replicasOf
      assert(members.size == loads.size && members.map(_.head) == homes.toVector)
      for (m <- members)
        assert(m.nonEmpty && m.size <= most && m.distinct == m && m.forall(_ < n))
      val expected = Vector.tabulate(n)(j =>
        loads.indices.filter(members(_).contains(j)).map(i => loads(i) / members(i).size).sum
      )
      assertLoads(plan, expected: _*)
      choice match {
        case SplitChoice.EveryKey =>
          val allSplit = loads.indices.forall(i => loads(i) == 0 || members(i).size == most)
          assert(plan.imbalance <= theta + 1e-6 || allSplit)
        case SplitChoice.Busiest =>
          val whole = new KeySplit(n, theta, 1).rebalance(loads.toArray, homes.toArray)
          assert(plan.imbalance <= whole.imbalance + 1e-6)
          assert(plan.imbalance <= theta + 1e-6 || !isImproved(plan, loads, most))
      }
    }
  }

  /** Whether one split more of a key of the most loaded replica would lower the load there and
    * leave that of the least loaded other replica below.
    */
  private def isImproved(plan: KeyAssignment, loads: List[Double], most: Int): Boolean = {
    val highest = plan.loads.max
    val busiest = plan.loads.indexOf(highest)
    loads.indices.exists { i =>
      val members = plan.replicasOf(i)
      members.contains(busiest) && members.size < most && loads(i) > 1e-3 && {
        val others = plan.loads.indices.filterNot(members.contains)
        others.map(plan.loads).min + loads(i) / (members.size + 1) < highest - 1e-3
      }
    }
  }

  test(
    "splitting for the busiest replica splits the hot key as often as it needs, and it alone"
  ) {
    val loads = 6.0 +: Array.fill(12)(0.5)
    val homes = 0 +: Array.tabulate(12)(i => 1 + i % 3)
    def plan(choice: SplitChoice) = new KeySplit(4, 1.2, 4, choice).rebalance(loads, homes)
    val busiest = plan(SplitChoice.Busiest)
    // 6, 2, 2, 2; then 3, 5, 2, 2; then 2, 4, 4, 2; then balanced
    assert(replicas(busiest) == Seq(0, 1, 2, 3) +: homes.tail.toSeq.map(Seq(_)))
    assertLoads(busiest, 1.5, 3.5, 3.5, 3.5)
    assert(plan(SplitChoice.EveryKey).averageDegree > 2)
  }

  test("what every replica of a key bears whole is not divided: a key is split while that pays") {
    val split = new KeySplit(2, theta = 1, maxSplitting = 2, SplitChoice.Busiest)
    def plan(ofEach: Double) = split.rebalance(Array(4.0), Array(0), ofEach = Array(ofEach))
    assert(replicas(plan(1)) == Seq(Seq(0, 1)))
    assertLoads(plan(1), 3, 3)
    assert(
      replicas(plan(5)) == Seq(Seq(0)),
      "7 and 7 would be 5 more work for 2 less to wait for"
    )
    val dear = split.rebalance(Array(4.0, 1.0), Array(0, 1), ofEach = Array(2.0, 1.0))
    assert(replicas(dear) == Seq(Seq(0), Seq(1)), "6 and 2 would be 4 and 6")
    assertLoads(dear, 6, 2)
  }

  test("numbers out of range are refused by name") {
    def refused(what: String)(body: => Any): Unit =
      assert(intercept[IllegalArgumentException](body).getMessage.contains(what))
    refused("theta")(new KeySplit(2, 0.99, 1))
    refused("theta")(new KeySplit(2, Double.NaN, 1))
    refused("theta")(new KeySplit(2, Double.PositiveInfinity, 1))
    refused("at least one replica")(new KeySplit(0, 1, 1))
    refused("1 to 2 replicas")(new KeySplit(2, 1, 0))
    refused("1 to 2 replicas")(new KeySplit(2, 1, 3))
    val split = new KeySplit(2, 1, 2)
    for (load <- Seq(-1.0, Double.NaN, Double.PositiveInfinity))
      refused("load")(split.assign(Array(load)))
    refused("no replica 2")(split.rebalance(Array(1), Array(2)))
    refused("as many")(split.rebalance(Array(1), Array(0, 1)))
    refused("of each replica")(split.rebalance(Array(1), Array(0), ofEach = Array(1, 1)))
  }
}
