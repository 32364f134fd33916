package io.scalegate.multiway

import java.util.concurrent.atomic.AtomicLong
import java.util.function.Predicate

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.multiway.design.{MQ, MQLF, TuMLMC, TuMLSC, WiML, WithShortcuts}
import io.scalegate.multiway.function.{Counted, Functions}
import io.scalegate.stream.{SlidingWindows, StreamTuple}

class MQSuite extends AggregateContract(MQ)

class MQLFSuite extends AggregateContract(MQLF)

class TuMLSCSuite extends AggregateContract(TuMLSC)

class TuMLMCOfOneSuite extends AggregateContract(new TuMLMC(1), subtracts = true, cases = 60)

class TuMLMCSuite extends AggregateContract(new TuMLMC(3), subtracts = true)

class WiMLSuite extends AggregateContract(WiML, ordered = false, merges = true, subtracts = true)

class MichaelSuite
    extends AggregateContract(WiML.Michael, ordered = false, merges = true, cases = 80)

class WithShortcutsSuite extends AggregateContract(
      new WithShortcuts(WiML),
      ordered = false,
      merges = true,
      subtracts = true,
      cases = 60
    )

class PanesOverTuMLSCSuite
    extends AggregateContract(new PaneAggregate(TuMLSC), merges = true, subtracts = true)

class PanesOverTuMLMCSuite extends AggregateContract(
      new PaneAggregate(new TuMLMC(2)),
      merges = true,
      subtracts = true,
      cases = 80
    )

class PanesOverWiMLSuite extends AggregateContract(
      new PaneAggregate(WiML),
      ordered = false,
      merges = true,
      subtracts = true
    )

class AggregateSpecSuite extends AnyFunSuite {
  test("windows of which absurdly many hold a time are refused, with what to do") {
    def of(windows: SlidingWindows) = AggregateSpec(windows, _.row, Functions.count)
    for (size <- Seq(1000000001L, Long.MaxValue)) {
      val e = intercept[IllegalArgumentException](of(SlidingWindows(size, 10000)))
      assert(e.getMessage.contains("at most 100000 may; advance by more"))
    }
    of(SlidingWindows(1000000000L, 10000))
    of(SlidingWindows(Long.MaxValue, Long.MaxValue / 1000))
  }
}

class PredicatesInTheHiveSuite extends AnyFunSuite {
  import AggregateCases._

  private val feeds =
    Vector.tabulate(3)(i => Vector.tabulate(200)(n => tuple(n.toLong, i, n.toLong, s"k${n % 5}")))

  for (design <- Seq(WiML, WiML.Michael, new TuMLMC(2), new WithShortcuts(WiML)))
    test(s"${design.name} asks a predicate once for each tuple, whatever the number of windows") {
      val asked = new AtomicLong
      def rows(d: AggregateDesign, count: AtomicLong) = {
        val accepts: Predicate[StreamTuple] = t => {
          count.incrementAndGet()
          t.ts % 3 == 0
        }
        val spec = AggregateSpec[String, Counted, Long](
          SlidingWindows(20, 2),
          key,
          Functions.countIf[StreamTuple](accepts),
          Some(keyOrder)
        )
        AggregateRuns.opened(d, spec, 3)(AggregateRuns.threaded(_, feeds))
      }
      assert(rows(design, asked) == rows(MQ, new AtomicLong))
      assert(asked.get == 600)
    }
}
