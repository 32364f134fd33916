package io.scalegate.spark.join.plan

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._
import scala.concurrent.{Await, Future}

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.functions.udf
import org.apache.spark.sql.scalegate.JobsStarted

import io.scalegate.BoundedWait
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** What the planner looks at before it plans: nothing where nobody runs the query, and nothing that could do harm. */
final class SampleSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] = Map(
    "spark.sql.autoBroadcastJoinThreshold" -> "-1",
    "spark.sql.shuffle.partitions" -> "4",
    "spark.sql.warehouse.dir" -> newDirectory().toString
  )

  private val hot =
    "(SELECT if(id % 2 = 0, 7, pmod(hash(id), 90)) AS k, id AS t FROM range(0, 2000, 1, 4))"

  /** Each key's rows follow on each other. */
  private val clustered = "(SELECT id DIV 50 AS k, id AS t FROM range(0, 2000, 1, 4))"

  private def query(relation: String, on: String = "abs(a.t - b.t) <= 3"): String =
    s"SELECT a.t, b.t FROM $relation a JOIN $relation b ON a.k = b.k AND $on"

  private def ran(query: String): String = {
    val df = spark.sql(query)
    df.collect()
    windowJoins(df).head.description
  }

  /** What a join says of itself that has plain Spark's rows. */
  private def described(query: String): String = windowJoins(assertedJoin(query)).head.description

  test("a plan that is only looked at is made without a job") {
    val jobs = JobsStarted.by(spark.sparkContext) {
      spark.sql(s"EXPLAIN ${query(hot)}").collect()
      spark.sql(s"EXPLAIN FORMATTED ${query(hot)}").collect()
      executed(spark.sql(query(hot)))
      executed(spark.sql(query(hot, "abs(a.t - b.t) <= 3 AND abs(a.t + b.k - b.t - a.k) < 9")))
      ()
    }
    assert(jobs == 0)
    assert(ran(query(hot)).contains("1 hot key in up to "))
  }

  test("a key is hot of all inputs of a union") {
    val half =
      s"(SELECT * FROM $hot UNION ALL SELECT k, t + 1 FROM (SELECT id % 90 AS k, id AS t FROM range(500)))"
    assert(described(query(half)).contains("1 hot key in up to "))
  }

  test("rows that lie by their keys make no key hot") {
    assert(!described(query(clustered)).contains("hot"))
    val oneFile = clustered.replace("1, 4)", "1, 1)")
    assert(!ran(query(oneFile)).contains("hot"))
  }

  test("a key that comes round as often as rows are taken is no hotter for it") {
    val round = "(SELECT id % 64 AS k, id AS t FROM range(0, 120000, 1, 1))"
    withSettings(ScaleGateConf.SampleRows -> "1000") {
      assert(!ran(query(round, "abs(a.t - b.t) <= 0")).contains("hot"))
    }
  }

  test("inputs in buckets by the key stay in them, however frequent a key is") {
    spark.sql(
      s"CREATE TABLE bucketed USING parquet CLUSTERED BY (k) INTO 4 BUCKETS AS SELECT * FROM $hot"
    )
    val grouped =
      s"SELECT k, count(*) FROM (${query("bucketed").replace("a.t, b.t", "a.k")}) GROUP BY k"
    val df = assertedJoin(grouped)
    assert(!windowJoins(df).head.description.contains("hot"))
    assert(collect(executed(df)) { case e: ShuffleExchangeLike => e }.isEmpty)
    spark.sql("DROP TABLE bucketed")
  }

  test(
    "a filter that fails in the sample fails the query's own way, and neither EXPLAIN nor the plan"
  ) {
    spark.udf.register("failing", udf((t: Long) => if (t >= 0) sys.error("not this row") else t))
    val failing =
      query(hot.replace("range(0, 2000, 1, 4)", "range(0, 2000, 1, 4) WHERE failing(id) < 0"))
    assert(spark.sql(s"EXPLAIN $failing").head().getString(0).contains("WindowJoin"))
    val e = intercept[Exception](spark.sql(failing).collect())
    assert(Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).exists(
      _.getMessage.contains("not this row")
    ))
  }

  test("files that have not changed are looked at once, and again when they have") {
    val files = newDirectory().resolve("files").toString
    def write(rows: String): Unit =
      spark.sql(s"SELECT * FROM $rows").write.mode("overwrite").parquet(files)
    def isHot(): (Boolean, Int) = {
      var description = ""
      val jobs = JobsStarted.by(spark.sparkContext) {
        spark.read.parquet(files).createOrReplaceTempView("sampled")
        description = ran(query("sampled"))
      }
      (description.contains("hot"), jobs)
    }
    write(hot)
    val (first, read) = isHot()
    assert(isHot() == ((first, read - 2)) && first)
    write(clustered)
    assert(!isHot()._1)
    spark.catalog.dropTempView("sampled")
  }

  test("a sample that does not come is not waited for") {
    SampleSuite.begun = new CountDownLatch(1)
    SampleSuite.released = new CountDownLatch(1)
    spark.udf.register("held", udf((t: Long) => SampleSuite.held(t)))
    val slow = query(hot.replace("id AS t", "held(id) AS t"))
    val found = Future(spark.sql(slow).collect().length)
    assert(SampleSuite.begun.await(60, TimeUnit.SECONDS))
    val listener = new NextJob
    spark.sparkContext.addSparkListener(listener)
    assert(listener.started.await(60, TimeUnit.SECONDS), "the query waits for its sample")
    SampleSuite.released.countDown()
    spark.sparkContext.removeSparkListener(listener)
    assert(Await.result(found, BoundedWait.Seconds.seconds) == spark.sql(slow).count())
  }
}

final private class NextJob extends SparkListener {
  val started = new CountDownLatch(1)
  override def onJobStart(start: SparkListenerJobStart): Unit = started.countDown()
}

object SampleSuite {
  @volatile var begun = new CountDownLatch(1)
  @volatile var released = new CountDownLatch(0)

  def held(t: Long): Long = {
    begun.countDown()
    released.await(60, TimeUnit.SECONDS)
    t
  }
}
