package io.scalegate.multiway

import java.lang.ref.WeakReference

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import io.scalegate.BoundedWait
import io.scalegate.multiway.design.{MQ, MQLF, TuMLMC, TuMLSC, WiML}
import io.scalegate.multiway.function.{AggregateFunction, Counted, Functions}
import io.scalegate.stream.{Side, SlidingWindows, StreamTuple}

/** An aggregate whose keys never come twice holds those of its open windows and sessions, not
  * those of its past.
  */
class AggregateMemorySuite extends AnyFunSuite with Eventually {
  implicit override val patienceConfig: PatienceConfig =
    PatienceConfig(Span(BoundedWait.Seconds, Seconds))

  private val designs = Seq(
    MQ,
    MQLF,
    TuMLSC,
    new TuMLMC(2),
    WiML,
    new PaneAggregate(TuMLSC),
    new PaneAggregate(WiML)
  )

  /** Feeds two inputs with a new key for each tuple, and takes what comes. The keys. */
  private def feed(
      aggregate: RunningAggregate[Object, Long],
      from: Long,
      to: Long
  ): Seq[WeakReference[Object]] = (from until to).map { ts =>
    val key = new Object
    val input = (ts % 2).toInt
    val t = new StreamTuple(ts, input, ts, Side.R, Array.emptyLongArray, key)
    BoundedWait.until("room") {
      while (aggregate.poll() != null) ()
      aggregate.sources(input).tryAdd(t)
    }
    aggregate.sources(1 - input).advance(ts)
    new WeakReference(key)
  }

  /** Feeds on until few of the keys that are long over are still there. */
  private def checkLetsGo(open: => RunningAggregate[Object, Long]): Unit = {
    val aggregate = open
    try {
      val old = feed(aggregate, 0, 20000)
      feed(aggregate, 20000, 20100)
      eventually {
        while (aggregate.poll() != null) ()
        System.gc()
        assert(old.count(_.get != null) <= 200, "of 20000 keys, 100 tuples later")
      }
    } finally aggregate.close()
  }

  private def check[S <: AnyRef](
      what: String,
      function: AggregateFunction[StreamTuple, S, Long]
  ): Unit =
    for (design <- designs)
      test(s"${design.name}, $what: holds no key of a window that is over") {
        val of = AggregateSpec[Object, S, Long](SlidingWindows(40, 4), _.row, function)
        checkLetsGo(design.open(of, 2))
      }

  check("count", Functions.count)
  check("a function with an inverse", Functions.sum[StreamTuple](_.ts))

  for (design <- Seq(MQ, MQLF, TuMLSC, new TuMLMC(2)))
    test(s"${design.name}: holds no key of a session that is over") {
      val of = SequenceSpec[Object, Counted, Long](
        SequenceWindows.Sessions(40),
        _.row,
        Functions.count
      )
      checkLetsGo(design.openSequences(of, 2))
    }
}
