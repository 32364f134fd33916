package io.scalegate.spark.window

import scala.util.Random

import io.scalegate.Sample
import io.scalegate.multiway.queries.{Comment, Query, QueryData, Reading}
import io.scalegate.stream.StreamTuple

/** The twelve queries of multiway aggregation's Table 2 in SQL, on rows that come in any order, against their
  * definitions; without `SCALEGATE_SOAK` of every fourth row.
  */
final class PaperQueriesSuite extends PaneAggregateSuite {
  private val Tuples = 25000
  private lazy val energy = some(QueryData.energy(1, Tuples))
  private lazy val talk = some(QueryData.comments(1, Tuples))

  /** From the same time: a sample has as many windows, and all meters. */
  private def some(all: Array[StreamTuple]): Vector[StreamTuple] =
    all.toVector.zipWithIndex.collect { case (t, i) if Sample.isSoak || i % 4 == 0 => t }

  private val hasMail = s"text RLIKE r'${Query.Mail}'"
  private val hasMailOrIp = s"($hasMail OR text RLIKE r'${Query.Ip}')"

  /** What a query asks of the rows. */
  private def function(id: String): String = id match {
    case "k-OS" | "w-OS" | "W-OS" => "first_by_time(kwh, ts)"
    case "K-OS" => "first_by_time(text, ts)"
    case "f-OS" => s"first_by_time(text, ts) FILTER (WHERE $hasMail)"
    case "F-OS" => s"first_by_time(text, ts) FILTER (WHERE $hasMailOrIp)"
    case "k-OI" | "K-OI" => "count(*)"
    case "w-OI" | "W-OI" => "avg(kwh)"
    case "f-OI" => s"count_if($hasMail)"
    case "F-OI" => s"count_if($hasMailOrIp)"
  }

  private def timestamp(millis: Long) = new java.sql.Timestamp(millis)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val session = spark
    import session.implicits._
    val random = new Random(7)
    val readings = energy.map { t =>
      val r = t.row.asInstanceOf[Reading]
      (timestamp(t.ts), r.meter.longValue, r.kwh)
    }
    random.shuffle(readings).toDF("ts", "key", "kwh").repartition(3)
      .createOrReplaceTempView("readings")
    val comments = talk.map { t =>
      val c = t.row.asInstanceOf[Comment]
      (timestamp(t.ts), c.song.longValue, c.text)
    }
    random.shuffle(comments).toDF("ts", "key", "text").repartition(3)
      .createOrReplaceTempView("comments")
  }

  private def same(defined: Any, found: Any): Boolean = (defined, found) match {
    case (None, null) => true
    case (Some(x), y) => same(x, y)
    case (x: Double, y: Double) => math.abs(x - y) <= 1e-12 * math.abs(x)
    case (x, y) => x == y
  }

  private def check[S <: AnyRef, R](query: Query[S, R]): Unit = test(s"${query.id} on panes") {
    val windows = query.spec.windows
    val df = spark.sql(
      s"SELECT unix_millis(window.start), key, ${function(query.id)} AS value " +
        s"FROM ${if (query.isEnergy) "readings" else "comments"} GROUP BY key, " +
        s"window(ts, '${windows.size} milliseconds', '${windows.advance} milliseconds')"
    )
    val rows = df.collect()
    assert(panes(df).nonEmpty)
    val found = rows.map(r => (r.getLong(0), r.getLong(1)) -> r.get(2)).toMap
    assert(found.size == rows.length)
    val defined = for {
      (start, rows) <- query.defined(if (query.isEnergy) energy else talk)
      (key, value) <- rows
    } yield (start, key.longValue) -> value
    assert(found.keySet == defined.map(_._1).toSet)
    defined.foreach { case (key, value) =>
      assert(same(value, found(key)), s"$key: $value, not ${found(key)}")
    }
  }

  Query.all.foreach(check(_))
}
