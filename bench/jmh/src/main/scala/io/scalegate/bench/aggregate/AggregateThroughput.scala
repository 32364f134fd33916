package io.scalegate.bench.aggregate

import java.util.concurrent.{ExecutorService, Executors}

import org.HdrHistogram.Histogram

import io.scalegate.multiway.design.{MQ, MQLF, TuMLMC, TuMLSC, WiML, WithShortcuts}
import io.scalegate.multiway.queries.Query
import io.scalegate.multiway.{AggregateDesign, PaneAggregate}

/** The designs, and panes over them, on the twelve queries of multiway aggregation's Table 2,
  * round by round in turn: tuples per second, and percentiles of the results' latencies in all
  * rounds. Checks that all designs give the same results, and prints a JSON line per query, number
  * of inputs and design.
  *
  * What bounds the ratios, by profiles on two cores. MQ spends a tuple's time on looking at every
  * queue, so its rate falls with the inputs; what the others save is that. Once it is saved,
  * - TuMLSC spends its time on the look-ups of a tuple's key, and on its states, in each of its
  *   windows, and MQ has the same cost: both are as the paper has them, with a table in each
  *   winset;
  * - WiML, and TuMLMC, look a key up once for all of a tuple's windows, which the paper's do not,
  *   and then add to states that lie next to each other, or to two numbers where they count. What
  *   is left is the delivery of tuples, and in K-OI the look-up among many keys; the consumer,
  *   which makes three results for each tuple there, has less to do than a feeding thread;
  * - WiML(michael) looks the key up in a table of each window that all threads add to, as the paper's
  *   do;
  * - panes take one look-up, and are bound by the results, three of them for each tuple in K-OI
  *   and K-OS, and otherwise by the reading and delivery of tuples themselves;
  * - f and F are bound by the search in the text, once for each window in MQ, MQLF and TuMLSC, once
  *   for each tuple in WiML and TuMLMC (f-OI, F-OI), and on panes.
  *
  * Arguments: rounds (default 5), tuples (default 200000), feeding threads (default 1; 0: none),
  * inputs such as `2,20`, queries such as `k-OI,K-OI` (default: all), designs such as `MQ,WiML`
  * (default: all), tuples per second, or several numbers of them (default 0: as many as are taken,
  * and then a latency is mostly what waits in full inputs).
  */
object AggregateThroughput {
  private val WarmUpRounds = 3
  private val WarmUpNanos = 1000000000L // for each design: rounds may take some milliseconds

  private val designs: Seq[AggregateDesign] = Seq(
    MQ,
    MQLF,
    TuMLSC,
    new TuMLMC(2),
    WiML,
    WiML.Michael,
    new WithShortcuts(WiML),
    new PaneAggregate(TuMLSC),
    new PaneAggregate(WiML)
  )

  def main(args: Array[String]): Unit = {
    def argument(i: Int, default: String) = args.lift(i).getOrElse(default)
    val rounds = argument(0, "5").toInt
    val tuples = argument(1, "200000").toInt
    val feeders = argument(2, "1").toInt
    val inputs = argument(3, "2,5,10,20,40").split(',').map(_.toInt)
    val queries = argument(4, Query.all.map(_.id).mkString(",")).split(',')
    val chosen = args.lift(5).fold(designs)(_.split(',').toSeq.map(named))
    val rates = argument(6, "0").split(',').map(_.toInt)
    val pool = Executors.newFixedThreadPool(math.max(feeders, 1))
    try
      for (q <- Query.all if queries.contains(q.id); n <- inputs; perSecond <- rates) {
        val run = new Measured(q, n, math.min(feeders, n), tuples, rounds, perSecond, pool)
        run.print(chosen.filter(run.takes))
      }
    finally pool.shutdownNow()
    ()
  }

  /** `TuMLMC(4)` has so many update threads. */
  private[this] val UpdateThreads = "TuMLMC\\(([0-9]+)\\)".r

  private def named(name: String): AggregateDesign = name match {
    case UpdateThreads(n) => new TuMLMC(n.toInt)
    case _ =>
      designs
        .find(_.name == name)
        .getOrElse(throw new IllegalArgumentException(s"there is no design $name"))
  }

  final private class Measured[S <: AnyRef, R](
      query: Query[S, R],
      inputs: Int,
      feeders: Int,
      tuples: Int,
      rounds: Int,
      perSecond: Int,
      pool: ExecutorService
  ) {
    private[this] val round = new AggregateRound(query, inputs, feeders, tuples, perSecond, pool)

    def takes(d: AggregateDesign): Boolean =
      !query.function.isOrderSensitive || !d.name.contains("WiML")

    def print(tested: Seq[AggregateDesign]): Unit = {
      val warm = System.nanoTime + tested.size * WarmUpNanos
      var rest = WarmUpRounds
      while (rest > 0 || System.nanoTime < warm) {
        tested.foreach(round.run)
        rest -= 1
      }
      val results = Vector.fill(rounds)(tested.map(round.run))
      check(tested, results.flatten)
      tested.indices.foreach(d => println(json(tested(d), results.map(_(d)))))
    }

    private[this] def check(tested: Seq[AggregateDesign], all: Seq[AggregateRate]): Unit = {
      val same = all.map(r => (r.rows, r.sum)).distinct
      if (same.size != 1)
        throw new IllegalStateException(
          s"${tested.map(_.name)} give different results of ${query.id}: $same"
        )
    }

    private[this] def json(d: AggregateDesign, rates: Seq[AggregateRate]): String = {
      val speeds = rates.map(_.tuplesPerSecond)
      val latency = new Histogram(3)
      rates.foreach(r => latency.add(r.latency))
      def millis(percentile: Double) = latency.getValueAtPercentile(percentile) * 1e-6
      val rate = if (perSecond == 0) "" else s" at $perSecond/s"
      s"""{"bench": "aggregate", "arm": "${query.id} ${inputs}in ${d.name}$rate", """ +
        s""""threads": ${feeders + 1}, "query": "${query.id}", "design": "${d.name}", """ +
        s""""inputs": $inputs, "feeders": $feeders, "tuples": $tuples, """ +
        s""""rate": $perSecond, "rows": ${rates.head.rows}, "median": ${median(speeds).round}, """ +
        f""""p50 ms": ${millis(50)}%.4f, "p90 ms": ${millis(90)}%.4f, """ +
        f""""p99 ms": ${millis(99)}%.4f, "max ms": ${millis(100)}%.4f, """ +
        s""""tuples_per_second": [${speeds.map(_.round).mkString(", ")}]}"""
    }
  }

  private def median(values: Seq[Double]): Double = values.sorted.apply(values.size / 2)
}
