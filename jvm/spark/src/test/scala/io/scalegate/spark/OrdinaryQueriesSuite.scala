package io.scalegate.spark

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

/** Queries as people have them, which Spark runs well: the joins of TPC-H and TPC-DS with a band or a range of dates
  * beside their keys, over Parquet tables some of which are partitioned, bucketed or clustered by their keys. None may
  * read a file more than with the package off, nor exchange its rows once more.
  *
  * `SCALEGATE_ORDINARY_ROWS=2000000` makes the tables as large, and prints how long each query takes beside plain
  * Spark.
  */
final class OrdinaryQueriesSuite extends SparkJoinSuite {
  private val timedRows = sys.env.get("SCALEGATE_ORDINARY_ROWS").map(_.toInt)
  private val rows = timedRows.getOrElse(4000)

  override protected def settings: Map[String, String] = Map(
    "spark.sql.warehouse.dir" -> newDirectory().toString,
    "spark.sql.codegen.wholeStage" -> timedRows.nonEmpty.toString,
    "spark.sql.codegen.factoryMode" -> (if (timedRows.nonEmpty) "FALLBACK" else "NO_CODEGEN"),
    "spark.sql.shuffle.partitions" -> "4",
    "spark.sql.autoBroadcastJoinThreshold" -> Large.toString
  )

  /** Nothing is broadcast but the tables that have few rows whatever the others have. */
  private def Large = 6000L

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val day = "date_add(DATE'1998-01-01', cast(pmod(hash(id), 20) AS INT))"
    create(
      "sales",
      "PARTITIONED BY (day)",
      s"id, pmod(hash(id, 1), ${rows / 20}) AS item, pmod(hash(id, 2), ${rows / 10}) AS customer, " +
        s"pmod(hash(id, 3), 100) AS price, $day AS sold, $day AS day FROM range($rows) DISTRIBUTE BY day"
    )
    create(
      "returns",
      "",
      s"id, pmod(hash(id, 1), ${rows / 20}) AS item, pmod(hash(id, 2), ${rows / 10}) AS customer, " +
        s"date_add($day, cast(pmod(hash(id, 4), 40) AS INT)) AS returned FROM range(0, $rows, 5, 2)"
    )
    create(
      "days",
      "",
      "date_add(DATE'1998-01-01', cast(id AS INT)) AS day, id % 7 AS weekday, " +
        "id % 50 AS low, id % 50 + 30 AS high FROM range(0, 60, 1, 1)"
    )
    val ordered = "date_add(DATE'1998-01-01', cast(pmod(hash(k), 20) AS INT))"
    val line = s"k, n, pmod(hash(k, n), 100) AS price, date_add($ordered, " +
      s"cast(pmod(hash(n, k), 60) AS INT)) AS shipped, $ordered AS ordered " +
      s"FROM (SELECT id DIV 4 AS k, id % 4 AS n FROM range(0, $rows, 1, 4))"
    create("lines", "CLUSTERED BY (k) INTO 4 BUCKETS", line)
    create("clustered_lines", "", line)
    create(
      "orders",
      "CLUSTERED BY (k) INTO 4 BUCKETS",
      s"k, k % 100 AS customer, $ordered AS ordered, pmod(hash(k), 100) AS price " +
        s"FROM (SELECT id AS k FROM range(0, ${rows / 4}, 1, 4))"
    )
    create(
      "pairs",
      "CLUSTERED BY (n, k) INTO 4 BUCKETS",
      s"id DIV 4 AS k, id % 4 AS n, pmod(hash(id), 100) AS price FROM range(0, $rows, 1, 4)"
    )
    val keys = rows / 80 // as many rows of each, however many there are
    create(
      "readings",
      "",
      s"id % $keys AS k, CASE WHEN id % $keys < ${keys / 2} THEN cast(id % 100 AS STRING) ELSE 'n/a' END AS v " +
        s"FROM range(0, $rows, 1, 2)"
    )
    create(
      "limits",
      "",
      s"id % ${keys / 2} AS k, id % 90 AS low FROM range(0, ${rows / 4}, 1, 2)"
    )
  }

  private def create(name: String, layout: String, query: String): Unit = {
    spark.sql(s"CREATE TABLE $name USING parquet $layout AS SELECT $query")
    ()
  }

  override protected def afterAll(): Unit =
    try spark.sessionState.catalog.reset()
    finally super.afterAll()

  /** What a plan that has run took. */
  private case class Cost(files: Long, partitions: Long, exchanges: Int)

  private def cost(df: DataFrame): Cost = {
    val plan = executed(df)
    val scans = collectWithSubqueries(plan) { case s: FileSourceScanExec => s }
    def sum(metric: String) = scans.flatMap(_.metrics.get(metric)).map(_.value).sum
    val exchanges = collectWithSubqueries(plan) { case e: ShuffleExchangeLike => e }
    Cost(sum("numFiles"), sum("numPartitions"), exchanges.size)
  }

  private def run(query: String): (Seq[String], Cost, DataFrame) = {
    val df = spark.sql(query)
    val found = rowsOf(df)
    (found, cost(df), df)
  }

  /** @param ours
    *   whether the join is to be one of the package's
    */
  private def ordinary(name: String, query: String, ours: Boolean): Unit = test(name) {
    val (expected, plain, _) = plainSpark(run(query))
    val (found, taken, df) = run(query)
    assert(expected.nonEmpty && found == expected)
    assert(taken.files <= plain.files && taken.partitions <= plain.partitions, s"$taken, $plain")
    assert(taken.exchanges <= plain.exchanges, s"${executed(df)}")
    assert(windowJoins(df).nonEmpty == ours, s"${executed(df)}")
    timedRows.foreach(_ => time(name, query))
  }

  private def time(name: String, query: String): Unit = {
    def seconds(): Double = {
      val begun = System.nanoTime()
      spark.sql(query).write.format("noop").mode("overwrite").save()
      (System.nanoTime() - begun) / 1e9
    }
    val pairs = Seq.fill(4)((plainSpark(seconds()), seconds())).drop(1)
    val (plain, here) = (pairs.map(_._1).min, pairs.map(_._2).min)
    info(f"$name: ${here / plain}%.2f of plain Spark's $plain%.2f s")
  }

  ordinary(
    "partitions of a day that a dimension names, with a band",
    "SELECT s.id, d.weekday FROM sales s JOIN days d ON s.day = d.day AND " +
      "s.price BETWEEN d.low AND d.low + 30 WHERE d.weekday = 3",
    ours = false
  )

  ordinary(
    "the same with the dimension first, bounds that are columns, and an aggregate",
    "SELECT d.weekday, count(*) FROM days d JOIN sales s ON s.day = d.day AND " +
      "s.price BETWEEN d.low AND d.high WHERE d.weekday IN (2, 3) GROUP BY d.weekday",
    ours = false
  )

  ordinary(
    "partitions that a semi join names",
    "SELECT s.id FROM sales s LEFT SEMI JOIN (SELECT * FROM days WHERE weekday = 5) d " +
      "ON s.day = d.day AND abs(s.price - d.low) <= 20",
    ours = false
  )

  ordinary(
    "a dimension that names no partitions is broadcast by either",
    "SELECT s.id, d.weekday FROM returns s JOIN days d ON s.returned = d.day AND " +
      "s.item - d.low BETWEEN -40 AND 40",
    ours = true
  )

  ordinary(
    "buckets meet buckets: orders and lines shipped within a month",
    "SELECT o.k, count(*), sum(l.price) FROM orders o JOIN lines l ON o.k = l.k AND " +
      "l.shipped BETWEEN o.ordered AND date_add(o.ordered, 30) GROUP BY o.k",
    ours = true
  )

  ordinary(
    "one side's buckets are kept, and rows clustered by their keys make none hot",
    "SELECT o.k, count(*) FROM orders o JOIN clustered_lines l ON o.k = l.k AND " +
      "l.shipped BETWEEN o.ordered AND date_add(o.ordered, 30) GROUP BY o.k",
    ours = true
  )

  ordinary(
    "buckets by the keys in another order than the join's",
    "SELECT p.k, p.n, l.price FROM clustered_lines l JOIN pairs p ON l.k = p.k AND l.n = p.n " +
      "AND abs(l.price - p.price) <= 20",
    ours = true
  )

  ordinary(
    "groups by the keys in another order than the join's",
    "SELECT a.k, a.n, l.n FROM (SELECT n, k, max(price) AS price FROM clustered_lines " +
      "GROUP BY n, k) a JOIN clustered_lines l ON l.k = a.k AND l.n = a.n AND " +
      "l.price - a.price BETWEEN -20 AND 0",
    ours = true
  )

  ordinary(
    "orders with a line that was shipped late exist",
    "SELECT o.customer, count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM lines l WHERE l.k = o.k " +
      "AND l.shipped BETWEEN date_add(o.ordered, 40) AND date_add(o.ordered, 50)) GROUP BY o.customer",
    ours = true
  )

  ordinary(
    "orders without one",
    "SELECT o.k FROM orders o LEFT ANTI JOIN lines l ON l.k = o.k AND " +
      "l.shipped BETWEEN date_add(o.ordered, 40) AND date_add(o.ordered, 60)",
    ours = true
  )

  ordinary(
    "sales and what of them was returned within a month",
    "SELECT s.id, r.id FROM sales s JOIN returns r ON s.item = r.item AND s.customer = r.customer " +
      "AND r.returned BETWEEN s.sold AND date_add(s.sold, 30)",
    ours = true
  )

  ordinary(
    "all sales, with what was returned, by item",
    "SELECT s.item, count(r.id) FROM sales s LEFT JOIN returns r ON s.item = r.item " +
      "AND r.returned BETWEEN s.sold AND date_add(s.sold, 3) GROUP BY s.item",
    ours = true
  )

  ordinary(
    "a full join by keys that is too large for one operator",
    "SELECT s.id, r.id FROM sales s FULL JOIN returns r ON s.item = r.item " +
      "AND s.customer = r.customer AND r.returned BETWEEN s.sold AND date_add(s.sold, 30)",
    ours = false
  )

  ordinary(
    "a bound on text that is a number where the keys are equal",
    "SELECT e.k, l.low FROM readings e JOIN limits l ON e.k = l.k AND " +
      "CAST(e.v AS INT) >= l.low - 3 AND CAST(e.v AS INT) <= l.low + 3",
    ours = false
  )

  ordinary(
    "three tables: sales, their days and what was returned",
    "SELECT d.weekday, count(*) FROM sales s JOIN days d ON s.day = d.day JOIN returns r " +
      "ON s.item = r.item AND r.returned BETWEEN s.sold AND date_add(s.sold, 10) " +
      "WHERE d.weekday = 1 GROUP BY d.weekday",
    ours = true
  )
}
