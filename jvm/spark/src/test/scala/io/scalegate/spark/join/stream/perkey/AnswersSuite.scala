package io.scalegate.spark.join.stream.perkey

import java.sql.Timestamp

import scala.util.Random

import org.scalatest.Assertion

import io.scalegate.spark.join.stream.{Event, StreamingJoinSuite}

/** Joins of two streams in which each left row has one answer, over events in disorder. */
abstract class AnswersSuite extends StreamingJoinSuite {

  /** One of them. */
  protected def example: String

  /** What EXPLAIN says of each of them. */
  protected def told: String

  /** Whether a row of theirs has one of the events that move the watermark. */
  protected def isOfSentinel(row: String): Boolean

  /** The rows that the join has at rest. */
  protected def result(query: String, l: Seq[Event], r: Seq[Event]): Seq[String]

  /** Events whose times rise but for a second's disorder, many of them the same; some have no key, some no value. */
  protected def disordered(seed: Int, count: Int, keys: Int = 3): Seq[Event] = {
    val random = new Random(seed)
    def sometimes(value: Int) = Option.when(random.nextInt(9) > 0)(value)
    Seq.tabulate(count) { i =>
      val at = new Timestamp(1000L + i * 150L / 300 * 300 + 500 * random.nextInt(3))
      Event(at, sometimes(random.nextInt(keys)), sometimes(random.nextInt(12)), i.toLong)
    }
  }

  /** They move the watermark past all of these, farther than any reach. */
  protected val sentinels: Seq[Event] = Seq(Event(300000000L, -1, 5, -1L))

  /** Equality of keys as letters of either case. */
  protected def withoutCase(one: String, other: String): String =
    Seq(one -> "a", other -> "A").map { case (key, letter) =>
      s"collate(concat('$letter', $key), 'UTF8_LCASE')"
    }.mkString(" = ")

  protected def ofEvents(rows: Seq[String]): Seq[String] = rows.filterNot(isOfSentinel)

  protected def atRest(query: String, l: Seq[Event], r: Seq[Event]): Seq[String] = {
    val rows = ofEvents(result(query, l ++ sentinels, r ++ sentinels))
    assert(rows.nonEmpty)
    rows
  }

  /** The rows in their order, of so many batches and the one that moves the watermark. */
  protected def streamed(
      query: String,
      l: Seq[Event],
      r: Seq[Event],
      cuts: Int,
      restarts: Boolean = false,
      operators: Int = 1
  ): Seq[String] = {
    val run = new Running(query, delay = "2 seconds").start()
    try {
      val size = (math.max(l.length, r.length) + cuts - 1) / cuts
      for (i <- 0 until cuts) {
        run.add(l.slice(i * size, (i + 1) * size), r.slice(i * size, (i + 1) * size))
        if (restarts && (isSoak || i == 0)) run.stop().start()
      }
      run.add(sentinels, sentinels)
      assert(run.operators == Seq.fill(operators)("windowJoin"))
      assert(run.explained.contains(told))
      ofEvents(run.inOrder)
    } finally run.stop()
  }

  /** That an aggregate over windows gives as much above them as at rest, of what is of times that begin so. */
  protected def assertGivenAbove(query: String, times: String): Assertion = {
    val (l, r) = (disordered(81, 90), disordered(82, 90))
    val run = new Running(query, delay = "2 seconds").start()
    try {
      for (i <- 0 until 2) run.add(l.slice(i * 45, i * 45 + 45), r.slice(i * 45, i * 45 + 45))
      run.add(sentinels, sentinels)
      val later = sentinels.map(e => e.copy(ts = new Timestamp(900000000L)))
      if (isSoak) run.add(later, later)
      def early(rows: Seq[String]) = rows.filter(_.contains(times))
      assert(early(run.all) == early(atRest(query, l, r)), query)
    } finally run.stop()
  }

  test("a failed batch is run again with the same rows") {
    val (l, r) = (disordered(71, 60), disordered(72, 60))
    val run = new Running(example, delay = "2 seconds").start()
    try {
      run.add(l.take(30), r.take(30))
      run.failNext()
      run.fails(l.drop(30), r.drop(30))
      run.start().add(sentinels, sentinels)
      assert(run.otherTheSecondTime.isEmpty)
      assert(ofEvents(run.all) == atRest(example, l, r))
    } finally {
      run.stop()
      ()
    }
  }
}
