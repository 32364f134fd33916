package io.scalegate.bench.gate

import java.util.concurrent.Executors

/** ScaleGate, and the T-Gate over it, against a `ConcurrentSkipListMap` with explicit readiness,
  * round by round in turn, so that both meet the same noise: tuples per second and bytes
  * allocated per tuple (48 of them the tuple's). Prints a JSON line per gate and shape.
  *
  * Arguments: the number of rounds (default 15), the number of feeding threads (default 1), then
  * shapes such as `20x2`, sources × readers (default: those of the design, and twice as many sources).
  */
object GateThroughput {
  private val Gates = Seq("ScaleGate", "TGate", "SkipListMap")
  private val Shapes =
    Seq("1x1", "2x1", "2x2", "5x1", "10x1", "10x2", "20x1", "20x2", "40x1", "40x2")
  private val WarmUpRounds = 8

  def main(args: Array[String]): Unit = {
    val rounds = args.headOption.fold(15)(_.toInt)
    val feeders = args.drop(1).headOption.fold(1)(_.toInt)
    val shapes = if (args.length > 2) args.drop(2).toSeq else Shapes
    shapes.foreach(s => measure(shapeOf(s, feeders), rounds))
  }

  private def shapeOf(text: String, feeders: Int): GateShape = {
    val numbers = text.split('x').map(_.toInt)
    GateShape(numbers(0), numbers(1), math.min(feeders, numbers(0)))
  }

  private def measure(shape: GateShape, rounds: Int): Unit = {
    val pool = Executors.newFixedThreadPool(shape.feeders + shape.readers)
    try {
      val round = new GateRound(shape, pool)
      (1 to WarmUpRounds).foreach(_ => Gates.foreach(round.run))
      val results = Vector.fill(rounds)(Gates.map(round.run))
      Gates.indices.foreach(g => println(json(Gates(g), shape, results.map(_(g)))))
    } finally pool.shutdownNow()
    ()
  }

  private def json(gate: String, shape: GateShape, rates: Seq[GateRate]): String = {
    val speeds = rates.map(_.tuplesPerSecond)
    s"""{"bench": "gate", "gate": "$gate", "sources": ${shape.sources}, """ +
      s""""readers": ${shape.readers}, "feeders": ${shape.feeders}, """ +
      s""""tuples": ${GateRound.Tuples}, "median": ${median(speeds).round}, """ +
      f""""bytes_per_tuple": ${median(rates.map(_.bytesPerTuple))}%.1f, """ +
      s""""tuples_per_second": [${speeds.map(_.round).mkString(", ")}]}"""
  }

  private def median(values: Seq[Double]): Double = values.sorted.apply(values.size / 2)
}
