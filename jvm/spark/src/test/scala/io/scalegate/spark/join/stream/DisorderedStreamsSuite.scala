package io.scalegate.spark.join.stream

import java.sql.Timestamp

import scala.jdk.CollectionConverters._

import io.scalegate.BoundedWait

/** Joins of streams whose rows come a little out of order, cut into batches in several ways. */
abstract class DisorderedStreamsSuite extends StreamingJoinSuite {
  protected val within: String =
    "r.ts BETWEEN l.ts - INTERVAL 2 SECONDS AND l.ts + INTERVAL 3 SECONDS"

  protected val types: Seq[String] =
    Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")

  /** Events whose times rise but for a second's disorder. */
  protected def disordered(seed: Int, count: Int): Seq[Event] = {
    val random = new scala.util.Random(seed)
    Seq.tabulate(count) { i =>
      val value = if (random.nextInt(10) == 0) None else Some(random.nextInt(12))
      Event(
        new Timestamp(1000L + i * 150L + random.nextInt(1000)),
        Some(random.nextInt(3)),
        value,
        i.toLong
      )
    }
  }

  /** A query whose condition calls `fussy(l.x)` on an operator's threads ends with its error, and these threads too. */
  protected def endsWithItsThreads(query: String): Unit = {
    spark.udf.register(
      "fussy",
      (x: Int) => if (x == 9) throw new IllegalStateException("nine") else x
    )
    val run = new Running(query).start()
    val e = run.fails(Seq(at(10, 1, x = 9), at(20, 2)), Seq(at(10.5, 11), at(20, 12)))
    assert(Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).exists(
      _.getMessage.contains("nine")
    ))
    def left = Thread.getAllStackTraces.keySet.asScala.map(_.getName)
      .filter(_.startsWith("scalegate-join-"))
    assert(BoundedWait.holds(left.isEmpty))
    ()
  }

  /** They move the watermark past all others and, one after the other, all others out of windows of few rows. */
  protected val sentinels =
    Seq.tabulate(8)(i => Event(10000000L + i, -1, -100, -1L)) :+ Event(20000000L, -1, -100, -1L)

  /** What a query gives of these rows, in so many batches of about equal size, in the order in which it is given. */
  protected def joined(query: String, l: Seq[Event], r: Seq[Event], cuts: Int): Seq[String] = {
    val run = new Running(query, delay = "1 second").start()
    try {
      val size = (l.length + cuts - 1) / cuts
      for (i <- 0 until cuts)
        run.add(l.slice(i * size, (i + 1) * size), r.slice(i * size, (i + 1) * size))
      run.add(sentinels, sentinels)
      assert(run.operator == "windowJoin")
      run.inOrder.filterNot(_.contains("-1"))
    } finally run.stop()
  }
}
