package io.scalegate.spark.join.stream.perkey

import java.sql.Timestamp

import scala.util.Random

import io.scalegate.spark.join.stream.{Event, StreamingJoinSuite}

/** Joins of two streams in which each left row has one answer, over events in disorder. */
abstract class AnswersSuite extends StreamingJoinSuite {

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
}
