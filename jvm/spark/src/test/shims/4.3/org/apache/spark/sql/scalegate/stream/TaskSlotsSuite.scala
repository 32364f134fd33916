package org.apache.spark.sql.scalegate.stream

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.jdk.CollectionConverters._

import io.scalegate.spark.join.stream.realtime.RealTimeSuite
import io.scalegate.stream.{Side, Sides}

/** A batch waits for the slots that others still hold: the session has as many as a query needs. */
final class TaskSlotsSuite extends RealTimeSuite {
  private def query =
    "SELECT l.id, r.id FROM l JOIN r ON l.k = r.k AND abs(l.x - r.x) <= 3 AND " +
      "r.ts BETWEEN l.ts AND l.ts + INTERVAL 2 SECONDS"

  test("a job takes the tasks of its last stage, and of those that write what it reads") {
    val context = spark.sparkContext
    def pairs(parts: Int) = context.parallelize(1 to 10, parts).map(n => (n, n))
    val some = pairs(3)
    assert(TaskSlots.demand(some) == 3)
    val joined = some.cogroup(pairs(4), 5).mapValues(_._1.size)
    assert(TaskSlots.demand(joined) == 3 + 4 + 5)
    // One shuffle that is read twice.
    val grouped = some.groupByKey(2)
    assert(TaskSlots.demand(grouped.union(grouped.map(identity))) == 3 + 2 * 2)
  }

  test("a query that has slots enough begins when another job has given its own back") {
    TaskSlotsSuite.hold()
    val job = new Thread(() =>
      spark.sparkContext.parallelize(Seq(1), 1).foreach(_ => TaskSlotsSuite.held())
    )
    job.start()
    TaskSlotsSuite.began()
    try withRunning(query) { q =>
        Sides.each(side => q.add(side, 0, at(1, if (side eq Side.R) 1 else 2)))
        eventually(q.failure.nonEmpty || isWaiting)
        assert(q.failure.isEmpty && q.rows(Nil).isEmpty)
        TaskSlotsSuite.release()
        assert(q.rows(Seq("[1,2]")) == Seq("[1,2]"))
      }
    finally {
      TaskSlotsSuite.release()
      job.join()
    }
  }

  private def isWaiting = Thread.getAllStackTraces.values.asScala
    .exists(_.exists(_.getClassName.startsWith(TaskSlots.getClass.getName)))

  test(
    "a query that needs more slots than there will ever be is left to Spark, which refuses it"
  ) {
    withSettings("spark.sql.shuffle.partitions" -> "4") {
      withRunning(query) { q =>
        eventually(q.failure.exists(_.contains("it needs 8 concurrent task slots")))
      }
    }
  }
}

object TaskSlotsSuite {
  @volatile private var (begun, released) = (new CountDownLatch(1), new CountDownLatch(1))

  private def hold(): Unit = {
    begun = new CountDownLatch(1)
    released = new CountDownLatch(1)
  }

  /** In a task of this JVM. */
  private def held(): Unit = {
    begun.countDown()
    released.await(60, TimeUnit.SECONDS)
    ()
  }

  private def began(): Unit = {
    begun.await(60, TimeUnit.SECONDS)
    ()
  }

  private def release(): Unit = released.countDown()
}
