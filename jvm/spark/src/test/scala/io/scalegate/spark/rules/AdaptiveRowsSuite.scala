package io.scalegate.spark.rules

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.classic.Dataset

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.plan.WindowJoinStrategy
import io.scalegate.spark.settings.ScaleGateConf

/** What adaptive execution makes of our operators' rows: it knows how many rows an exchange below them had, and must
  * not take these for the operators' own. Each query has the rows of plain Spark, and as many as its limit says. With
  * `SCALEGATE_SOAK` each join is of all types, and each subquery is run by all algorithms; otherwise of some types, and
  * by one algorithm, by turns.
  */
final class AdaptiveRowsSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] =
    Map("spark.sql.adaptive.enabled" -> "true", "spark.sql.autoBroadcastJoinThreshold" -> "-1")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    def write(name: String, query: String): Unit = {
      val path = newDirectory().resolve(name).toString
      spark.sql(query).repartition(2).write.parquet(path)
      spark.read.parquet(path).createOrReplaceTempView(name)
    }
    write("events", "SELECT id, timestamp_seconds(id) AS ts FROM range(1000)")
    write("one", "SELECT id, timestamp_seconds(id) AS ts FROM range(1)")
    write("few", "SELECT id, timestamp_seconds(id) AS ts FROM range(3)")
    write("kept", "SELECT id, timestamp_seconds(id) AS ts FROM range(60)")
    write("a", "SELECT id, id AS x FROM range(30)")
    write("b", "SELECT id, id AS y FROM range(30)")
  }

  private def windows(relation: String) =
    s"SELECT window(ts, '1 minute', '10 seconds') AS w, count(*) AS n FROM $relation GROUP BY 1"

  /** The rows in their order. */
  private def listed(query: String): Seq[String] =
    spark.sql(query).collect().map(_.toString).toSeq

  private def assertListed(query: String): Unit = {
    val expected = plainSpark(listed(query))
    assert(listed(query) == expected, query)
    ()
  }

  test("DISTINCT above a right join whose left side turns out to be empty") {
    import spark.implicits._
    val none = spark.sparkContext.parallelize(Seq((5L, Option.empty[Long])), 1).toDF("a", "b")
    none.createOrReplaceTempView("without_b")
    assertJoins(
      "SELECT DISTINCT l.b - l.b FROM without_b l RIGHT JOIN (SELECT DISTINCT i AS a, l AS b FROM r) r " +
        "ON l.a BETWEEN r.a - 2 AND r.a + 2 AND abs(l.b - r.b) <= 5"
    )
  }

  // They give more rows than come through the exchange of their fewest.
  for {
    (name, joined, columns) <- Seq(
      (
        "a cube",
        "SELECT /*+ CUBE_JOIN('2x1x1') */ a.x, b.y FROM few f JOIN a ON a.x - f.id BETWEEN 0 AND 2 " +
          "JOIN b ON b.y - f.id BETWEEN 0 AND 2",
        "x, y"
      ),
      (
        "the nearest rows",
        "SELECT f.id AS x, e.id AS y FROM few f JOIN kept e ON nearest(f.ts, e.ts, 5, NULL, 'forward')",
        "x, y"
      ),
      (
        "the nearest rows of a key",
        "SELECT f.id AS x, e.id AS y FROM few f JOIN kept e ON f.id % 2 = e.id % 2 AND " +
          "nearest(f.ts, e.ts, 5, NULL, 'forward')",
        "x, y"
      ),
      (
        "a window of rows",
        "SELECT f.id AS x, e.id AS y FROM few f JOIN kept e ON within_rows(f.ts, e.ts, 5)",
        "x, y"
      ),
      (
        "a window of each key's rows",
        "SELECT f.id AS x, e.id AS y FROM few f JOIN kept e ON within_rows(f.ts, e.ts, 5, f.id % 2, e.id % 2)",
        "x, y"
      )
    )
  } test(s"limits, order and DISTINCT above $name") {
    for (table <- Seq("few", "kept")) spark.catalog.cacheTable(table)
    for (table <- Seq("few", "kept")) spark.table(table).count()
    val all = listed(s"$joined ORDER BY $columns")
    assert(all.size > 8)
    for (n <- Sample.some(Seq(4, 1, 3), 2)) {
      assert(listed(s"$joined ORDER BY $columns LIMIT $n") == all.take(n))
      assert(listed(s"$joined ORDER BY $columns LIMIT $n OFFSET 2") == all.slice(2, n + 2))
      assert(listed(s"SELECT count(*) FROM ($joined LIMIT $n)") == Seq(s"[$n]"))
      assert(spark.sql(joined).take(n).length == n)
    }
    val some = all.map(_.takeWhile(_ != ',')).distinct.size
    assert(listed(s"SELECT DISTINCT x FROM ($joined)").size == some)
    for (table <- Seq("few", "kept")) spark.catalog.uncacheTable(table)
  }

  test("a join by few keys stays here when most partitions turn out to be empty") {
    // Spark then gives its joins a hint not to broadcast.
    for {
      (more, i) <- Seq("abs(a.x - b.y) <= 2", "a.x <= b.y AND b.y <= a.hi").zipWithIndex
      (how, j) <- Seq("INNER", "LEFT", "LEFT SEMI").zipWithIndex
      if Sample.isSoak || (i + j) % 2 == 0
    } withSettings(
      "spark.sql.shuffle.partitions" -> "50",
      "spark.sql.autoBroadcastJoinThreshold" -> "300b",
      "spark.sql.adaptive.coalescePartitions.enabled" -> "false"
    ) {
      val columns = if (how == "LEFT SEMI") "a.x" else "a.x, b.y"
      val query =
        s"SELECT $columns FROM (SELECT x, x + 3 AS hi, x % 2 AS k FROM a) a $how JOIN " +
          s"(SELECT y, y % 2 AS k FROM b) b ON a.k = b.k AND $more"
      val df = spark.sql(query)
      assert(rowsOf(df) == plainSpark(rowsOf(spark.sql(query))))
      assert(windowJoins(df).size == 1, s"$how, $more")
    }
  }

  /** Which exchange has run first, and so whose rows would be counted, is a matter of time. */
  test("every join that is run here keeps its figures when an exchange below it has run") {
    for {
      algorithm <- Seq("sweep", "matrix", "broadcast")
      how <- Seq("INNER", "LEFT", "RIGHT", "LEFT SEMI", "LEFT ANTI", "FULL")
    } {
      val columns = if (how.startsWith("LEFT ")) "x" else "x, y"
      val plan = spark
        .sql(
          s"SELECT /*+ WINDOW_JOIN('$algorithm') */ $columns FROM a $how JOIN b ON abs(x - y) <= 9"
        )
        .asInstanceOf[Dataset[Row]]
        .queryExecution
        .optimizedPlan
      val joins = plan.collect { case join: Join => join }
      val marked = plan.collect { case TwoSteps(join: Join) => join }
      assert(joins.nonEmpty && marked == joins, s"$how by $algorithm: $plan")
    }
  }

  test("the first of many windows are as many as asked for") {
    assertListed(
      s"SELECT w.start, n FROM (${windows("events")}) ORDER BY n DESC, w.start LIMIT 10"
    )
    assertListed(s"SELECT count(*) FROM (SELECT * FROM (${windows("events")}) LIMIT 10)")
    assert(spark.sql(windows("events")).take(5).length == 5)
    assert(spark.sql(windows("events")).limit(7).collect().length == 7)
  }

  test("the many windows of one row are ordered, and told apart") {
    val counted = windows("one")
    assertListed(s"SELECT w.start FROM ($counted) ORDER BY w.start DESC")
    assertListed(s"SELECT DISTINCT n FROM ($counted)")
    assertListed(s"SELECT count(DISTINCT n) FROM ($counted)")
    assertListed(s"SELECT n, count(*) FROM ($counted) GROUP BY n")
    assertListed(
      s"SELECT w.start, (SELECT max(n) FROM ($counted)) FROM ($counted) ORDER BY 1 DESC LIMIT 3"
    )
  }

  for {
    (algorithm, i) <- Seq("sweep", "index", "matrix", "broadcast").zipWithIndex
    (how, j) <- Seq("INNER", "LEFT", "RIGHT").zipWithIndex
    if Sample.isSoak || (i + j) % 2 == 0
  } test(s"a limit on a $how join by '$algorithm' gives as many rows as it says") {
    val join = s"SELECT /*+ WINDOW_JOIN('$algorithm') */ x, y FROM a $how JOIN b " +
      "ON a.x - b.y BETWEEN -20 AND 20"
    assert(listed(s"SELECT count(*) FROM ($join LIMIT 100)") == Seq("[100]"))
    assert(spark.sql(join).limit(100).collect().length == 100)
    assertListed(s"SELECT * FROM ($join) ORDER BY x DESC, y LIMIT 50")
  }

  private val filters = for {
    algorithm <- Seq("sweep", "matrix", "broadcast")
    condition <- Seq(
      "EXISTS (SELECT 1 FROM one WHERE abs(a.x - one.id) <= 9)",
      "NOT EXISTS (SELECT 1 FROM one WHERE abs(a.x - one.id) <= 9)",
      "x % 5 IN (SELECT one.id FROM one WHERE abs(a.x - one.id) <= 9)",
      "x % 5 NOT IN (SELECT one.id FROM one WHERE abs(a.x - one.id) <= 9)",
      "EXISTS (SELECT 1 FROM one WHERE abs(a.x - one.id) <= 9) AND " +
        "NOT EXISTS (SELECT 1 FROM b WHERE abs(a.x - b.y) <= 1 AND b.y > 4)"
    )
  } yield (algorithm, condition)

  /** Of these Spark makes joins after the rules that look for joins. */
  test(
    "a limit and DISTINCT above EXISTS and IN, which become joins, give as many rows as they say"
  ) {
    // Five conditions by each algorithm.
    def isTried(number: Int) = Sample.isSoak || (number / 5 + number % 5) % 3 == 0
    for (((algorithm, condition), i) <- filters.zipWithIndex if isTried(i))
      withSettings(ScaleGateConf.JoinAlgorithm -> algorithm) {
        val query = s"SELECT x FROM a WHERE $condition"
        assert(spark.sql(s"$query LIMIT 1").collect().length == 1, query)
        assert(listed(s"SELECT count(*) FROM ($query LIMIT 2)") == Seq("[2]"), query)
        assertListed(s"SELECT DISTINCT x - x FROM a WHERE $condition")
        assertListed(s"SELECT x FROM a WHERE $condition ORDER BY x DESC")
      }
  }

  test("the joins that EXISTS and IN become keep their figures, too") {
    for ((algorithm, condition) <- filters if algorithm != "broadcast")
      withSettings(ScaleGateConf.JoinAlgorithm -> algorithm) {
        val df = spark.sql(s"SELECT x FROM a WHERE $condition")
        val plan = df.asInstanceOf[Dataset[Row]].queryExecution.optimizedPlan
        val below = plan.collect { case steps: TwoSteps => steps.collect { case j: Join => j } }
        val joins = plan.collect { case join: Join if WindowJoinStrategy.runs(join) => join }
        assert(joins.nonEmpty && joins.forall(below.flatten.contains), plan)
      }
  }

  test("rows that a broadcast holds in one chunk are counted one by one") {
    val near = "abs(a.x - b.y) <= 20"
    def exists(not: String) =
      s"SELECT /*+ WINDOW_JOIN('broadcast') */ x FROM a WHERE $not EXISTS " +
        s"(SELECT * FROM b WHERE $near)"
    Seq("", "NOT").foreach { not =>
      assertListed(s"SELECT * FROM (${exists(not)}) ORDER BY x DESC")
      assertListed(s"SELECT count(*) FROM (${exists(not)} LIMIT 4)")
    }
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "10MB") {
      assertListed(s"SELECT x FROM a WHERE EXISTS (SELECT * FROM b WHERE $near) ORDER BY x DESC")
      assertListed(s"SELECT x FROM a LEFT SEMI JOIN b ON $near ORDER BY x DESC LIMIT 7")
      assertListed(s"SELECT DISTINCT y - y FROM a JOIN b ON $near")
    }
  }

  test("a join is not broadcast for how few rows its inputs had") {
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "3000") {
      assertListed(
        "SELECT count(*), sum(n) FROM (SELECT /*+ WINDOW_JOIN('sweep') */ x, y, x + y AS n FROM a " +
          "JOIN b ON a.x - b.y BETWEEN -20 AND 20) p JOIN events ON p.n = events.id"
      )
    }
  }

  test("a subquery in a condition is run wherever the condition's terms go") {
    val least = "(SELECT min(id) FROM range(3))"
    val keyed = Seq("FULL", "LEFT").map(
      _ + s" JOIN b ON a.id = b.id + $least AND b.id BETWEEN a.id - 5 AND a.id + 5"
    )
    val others = Seq(
      s"JOIN b ON b.id + $least BETWEEN a.id - 5 AND a.id + 5",
      s"JOIN b ON a.id % 3 = b.id % 3 + $least AND b.id BETWEEN a.id - $least AND a.id + 5"
    )
    for {
      (join, i) <- (keyed ++ others).zipWithIndex
      adaptive <- Sample.turn(Seq("true", "false"), i)
    } withSettings("spark.sql.adaptive.enabled" -> adaptive) {
      assertListed(s"SELECT x, y FROM a $join ORDER BY x, y")
    }
    for ((join, i) <- keyed.zipWithIndex; how <- Sample.turn(Seq("sweep", "index"), i))
      assertListed(s"SELECT /*+ WINDOW_JOIN('$how') */ x, y FROM a $join ORDER BY x, y")
    assertListed(
      s"SELECT w.start, sum(id + $least), count(*) + $least AS n FROM (SELECT *, " +
        "window(ts, '1 minute', '10 seconds') AS w FROM events) GROUP BY w ORDER BY 1"
    )
  }
}
