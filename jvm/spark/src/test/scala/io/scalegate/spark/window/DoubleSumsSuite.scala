package io.scalegate.spark.window

import java.math.{BigDecimal, MathContext}
import java.sql.Timestamp

import scala.util.Random

import org.apache.spark.sql.scalegate.TestStreams
import org.apache.spark.sql.{Encoders, Row}

/** Sums of doubles that round, against the exact ones: within the bound that docs/windows.md states. */
final class DoubleSumsSuite extends PaneAggregateSuite {
  import DoubleSumsSuite._

  private val Size = 20000L
  private val Slide = 500L

  private val query =
    "SELECT unix_millis(window.start) AS start, k, sum(x) AS sum, avg(x) AS mean " +
      s"FROM values GROUP BY k, window(ts, '$Size milliseconds', '$Slide milliseconds')"

  /** Of very different sizes and both signs; now and then a very large one, which leaves its windows again. */
  private val values: Seq[Value] = {
    val random = new Random(3)
    Seq.tabulate(2000) { i =>
      val size = if (random.nextInt(200) == 0) 20 else random.nextInt(12) - 8
      val x = (random.nextDouble() - 0.5) * math.pow(10, size.toDouble)
      Value(new Timestamp(100000L + 25L * i), random.nextInt(3), x)
    }
  }

  private def starts(ts: Long): Seq[Long] =
    Iterator.iterate(ts - ts % Slide)(_ - Slide).takeWhile(_ > ts - Size).toSeq

  private lazy val byWindow: Map[(Long, Int), Seq[Double]] =
    values.flatMap(v => starts(v.ts.getTime).map(s => ((s, v.k), v.x))).groupMap(_._1)(_._2)

  private def assertWithinBound(rows: Seq[Row]): Unit = {
    assert(rows.map(r => (r.getLong(0), r.getInt(1))).toSet == byWindow.keySet)
    assert(rows.size == byWindow.size)
    var inexact = 0
    rows.foreach { row =>
      val xs = byWindow((row.getLong(0), row.getInt(1)))
      val exact = xs.map(new BigDecimal(_)).reduce(_ add _)
      // To first order in u; the rest is far below u.
      val bound = (xs.size - 1) * U * xs.map(math.abs).sum * (1 + 1e-9)
      val error = distance(row.getDouble(2), exact)
      assert(error <= bound, s"$row, of ${xs.size}: $exact, not within $bound")
      val mean = exact.divide(new BigDecimal(xs.size), MathContext.DECIMAL128)
      assert(
        distance(row.getDouble(3), mean) <= bound / xs.size + U * mean.abs.doubleValue,
        s"$row, of ${xs.size}: a mean of $mean"
      )
      if (error > 0) inexact += 1
    }
    assert(inexact > rows.size / 2, "hardly any sum has rounded")
  }

  private def distance(x: Double, exact: BigDecimal): Double =
    new BigDecimal(x).subtract(exact).abs.doubleValue

  test("a batch's sums and means of doubles are within the bound, in any order of rows") {
    val session = spark
    import session.implicits._
    for (seed <- 1 to 2) {
      new Random(seed).shuffle(values).toDF().repartition(seed).createOrReplaceTempView("values")
      val df = spark.sql(query)
      assert(panes(df).nonEmpty)
      assertWithinBound(df.collect().toSeq)
    }
  }

  test("a stream's sums and means of doubles are within the bound, however they are batched") {
    val stream = TestStreams.memoryStream(Encoders.product[Value], spark)
    stream.toDF().createOrReplaceTempView("values")
    val started = spark.sql(query).writeStream
      .outputMode("complete").format("memory").queryName("sums")
      .option("checkpointLocation", newDirectory().toString).start()
    try {
      values.grouped(450).foreach { rows =>
        stream.addData(rows)
        started.processAllAvailable()
      }
      assert(
        started.lastProgress.stateOperators.map(_.operatorName).toSeq == Seq("windowAggregate")
      )
      assertWithinBound(spark.table("sums").collect().toSeq)
    } finally started.stop()
  }
}

private object DoubleSumsSuite {
  final case class Value(ts: Timestamp, k: Int, x: Double)

  /** Half the distance of 1 from the next double. */
  val U: Double = math.pow(2, -53)
}
