package io.scalegate.bench.aggregate

import io.scalegate.multiway.AggregateDesign
import io.scalegate.multiway.design.{MQ, MQLF, TuMLSC, WiML}
import io.scalegate.multiway.queries.Query
import io.scalegate.stream.{EventOrder, StreamTuple}

/** How long a design's two operations take for a tuple: its delivery, which an input's thread does, and what the consumer
  * does (multiway aggregation §7.3, Fig. 12). One thread does both in turn, some hundred tuples at a time, so neither
  * waits for the other, nor for a lock or a cache line that another thread has. The designs go round by round in turn.
  * Prints one line of JSON for each query, number of inputs and design, the nanoseconds a tuple as medians of the rounds.
  *
  * Arguments: rounds, tuples, inputs such as `2,20`, and queries.
  */
object AggregateOperationsMain {
  private[this] val designs: Seq[AggregateDesign] = Seq(MQ, MQLF, TuMLSC, WiML)
  private[this] val WarmUpNanos = 2000000000L
  private[this] val Burst = 256

  def main(args: Array[String]): Unit = {
    if (args.length < 4) {
      System.err.println("arguments: ROUNDS TUPLES INPUTS QUERY ...")
      sys.exit(2)
    }
    val (rounds, tuples, inputs) = (args(0).toInt, args(1).toInt, args(2).split(',').map(_.toInt))
    for (id <- args.drop(3); query <- Query.all if query.id == id; n <- inputs)
      measure(query, n, tuples, rounds)
  }

  private[this] def measure[S <: AnyRef, R](
      query: Query[S, R],
      inputs: Int,
      tuples: Int,
      rounds: Int
  ): Unit = {
    val data = query.data(inputs, tuples).sortWith(EventOrder.Tuples.compare(_, _) < 0)
    val chosen = designs.filterNot(d => d == WiML && query.function.isOrderSensitive)
    val warm = System.nanoTime + chosen.size * WarmUpNanos
    while (System.nanoTime < warm) chosen.foreach(round(query, inputs, data, _))
    val measured = Seq.fill(rounds)(chosen.map(round(query, inputs, data, _)))
    if (measured.flatten.map(_.rows).distinct.size != 1)
      throw new IllegalStateException(s"the designs give different results of ${query.id}")
    for ((design, d) <- chosen.zipWithIndex) {
      val all = measured.map(_(d))
      def median(nanos: Durations => Long) =
        all.map(nanos).sorted.apply(rounds / 2) / tuples.toDouble
      val seconds = all.map(o => f"${(o.delivery + o.taking) * 1e-9}%.4f").mkString(", ")
      println(
        s"""{"arm": "${query.id} ${inputs}in ${design.name}", "threads": 1, "tuples": $tuples, """ +
          s""""seconds": [$seconds], "rows": ${all.head.rows}, """ +
          f""""input ns": ${median(_.delivery)}%.1f, "consumer ns": ${median(_.taking)}%.1f}"""
      )
    }
  }

  final private case class Durations(delivery: Long, taking: Long, rows: Long)

  private[this] def round[S <: AnyRef, R](
      query: Query[S, R],
      inputs: Int,
      data: Array[StreamTuple],
      design: AggregateDesign
  ): Durations = {
    val aggregate = design.open(query.spec, inputs)
    try {
      val sources = aggregate.sources.toArray
      var delivery, taking, rows = 0L
      def take(): Unit = {
        var results = aggregate.poll()
        while (results != null) {
          rows += results.size
          results = aggregate.poll()
        }
      }
      for (burst <- data.grouped(Burst)) {
        val begin = System.nanoTime
        var i = 0
        while (i < burst.length) {
          if (!sources(burst(i).source).tryAdd(burst(i)))
            throw new IllegalStateException(s"${design.name} has no room for $Burst tuples")
          i += 1
        }
        val delivered = System.nanoTime
        take()
        delivery += delivered - begin
        taking += System.nanoTime - delivered
      }
      val begin = System.nanoTime
      sources.foreach(_.close())
      while (!aggregate.isDone) take()
      Durations(delivery, taking + System.nanoTime - begin, rows)
    } finally aggregate.close()
  }
}
