package io.scalegate.baseline.handshake

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.join.{Definition, JoinCase, JoinCases, JoinOptions}
import io.scalegate.stream.Work

/** The handshake joins' chains under schedules that threads would rarely give: one thread takes the
  * nodes' and the driver's steps in a random order, in bursts, with some of them starved for a
  * while, over links of few messages. Two tuples then cross wherever they can.
  */
final class FlowScheduleSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt(40))

  private val options = JoinOptions(inputCapacity = 512, outputCapacity = 1 << 15)

  test("handshake join's pairs meet once, and none below the frontier, whatever the schedule") {
    forAll(JoinCases.cases, Gen.long, Gen.choose(1, 5), Gen.choose(2, 5)) {
      (input, seed, nodes, links) =>
        val join = new RunningHandshakeJoin(input.spec, input.sides, options, nodes, links)
        assert(run(join, input, seed).sorted == Definition.results(input).sorted)
    }
  }

  test("low-latency handshake join's pairs meet once, and come in order, whatever the schedule") {
    forAll(JoinCases.cases, Gen.long, Gen.choose(1, 5), Gen.choose(2, 5)) {
      (input, seed, nodes, links) =>
        val join =
          new RunningLowLatencyHandshakeJoin(input.spec, input.sides, options, nodes, links)
        assert(run(join, input, seed) == Definition.results(input))
    }
  }

  private def run(join: FlowJoin, input: JoinCase, seed: Long): Vector[Definition.Pair] = {
    val random = new SplittableRandom(seed)
    for (i <- input.feeds.indices) {
      input.feeds(i)._2.foreach(t => assert(join.sources(i).tryAdd(t)))
      join.sources(i).close()
    }
    join.parts.foreach(_.prepare())
    val results = Vector.newBuilder[Definition.Pair]
    def take(): Unit = {
      var frontier = join.frontier
      var result = join.poll()
      while (result != null) {
        assert(result.ts >= frontier, s"$result came below the frontier")
        results += Definition.pair(result)
        frontier = join.frontier
        result = join.poll()
      }
    }
    var slow = 0
    var bursts = 0
    while (!join.parts.forall(_.isFinished)) {
      if (bursts % 50 == 0) slow = random.nextInt(join.parts.size)
      val chosen = random.nextInt(join.parts.size)
      if (chosen != slow || random.nextInt(20) == 0) burst(join.parts(chosen), random)
      if (random.nextInt(10) == 0) take()
      bursts += 1
      assert(bursts < 1000000, "the chain has locked up")
    }
    join.parts.foreach(_.end())
    take()
    assert(join.isDone && join.frontier == Long.MaxValue)
    results.result()
  }

  private def burst(part: Work, random: SplittableRandom): Unit = {
    var left = 1 + random.nextInt(1 << random.nextInt(6))
    while (left > 0 && !part.isFinished && part.step()) left -= 1
  }
}
