package io.scalegate.spark.around

import scala.util.Random

import io.scalegate.spark.ScaleGateConf

/** Draws queries: one or two operators of this package, and what may stand below, between and above them.
  *
  * @param tables
  *   the names of tables with the columns that all queries have
  */
final class QueryGenerator(random: Random, tables: Seq[String]) {
  private[this] def oneOf[T](from: Seq[T]): T = from(random.nextInt(from.size))
  private[this] def chance(percent: Int): Boolean = random.nextInt(100) < percent

  def next(): Case = {
    val core = if (chance(60)) join(below, below) else windows(below)
    val inner = wrapped(core, random.nextInt(3))
    val whole =
      if (chance(12)) wrapped(join(inner, below), random.nextInt(2))
      else if (chance(10)) wrapped(windows(inner), random.nextInt(2))
      else inner
    Case(whole, taken(), settings())
  }

  private[this] def taken(): Taken = random.nextInt(10) match {
    case 0 | 1 => Taken.Ordered(chance(50))
    case 2 | 3 => Taken.Some(oneOf(Seq(0, 1, 5, 40)), oneOf(Taken.Hows))
    case 4 => Taken.Last(oneOf(Seq(1, 5)))
    case _ => Taken.All
  }

  private[this] def settings(): Map[String, String] = {
    val all = Seq(
      "spark.sql.adaptive.enabled" -> Seq("true", "true", "false"),
      "spark.sql.codegen.wholeStage" -> Seq("false", "false", "false", "true"),
      "spark.sql.autoBroadcastJoinThreshold" -> Seq("-1", "600", "10MB"),
      "spark.sql.ansi.enabled" -> Seq("true", "false"),
      "spark.sql.session.timeZone" -> Seq("UTC", "America/New_York", "Asia/Kolkata"),
      "spark.sql.shuffle.partitions" -> Seq("1", "2", "5"),
      "spark.sql.columnVector.offheap.enabled" -> Seq("true", "false"),
      "spark.sql.inMemoryColumnarStorage.partitionPruning" -> Seq("true", "false"),
      "spark.sql.adaptive.coalescePartitions.enabled" -> Seq("true", "false"),
      "spark.sql.optimizer.propagateDistinctKeys.enabled" -> Seq("true", "false"),
      "spark.sql.sources.useV1SourceList" -> Seq("parquet", ""),
      "spark.sql.cbo.enabled" -> Seq("true", "false"),
      "spark.sql.constraintPropagation.enabled" -> Seq("true", "false"),
      ScaleGateConf.MinOverlap -> Seq("1", "2"),
      ScaleGateConf.SampleRows -> Seq("0", "10"),
      ScaleGateConf.JoinAlgorithm -> Seq("auto", "sweep", "index", "broadcast")
    )
    all.filter(_ => chance(40)).map { case (k, values) => k -> oneOf(values) }.toMap
  }

  // ---- what stands below ----

  private[this] def table(): Query = {
    val name = oneOf(tables)
    def of(where: String) =
      new Query(s"table $name", Nil, Nil, (_, _) => s"SELECT a, b, t, v FROM $name$where")
    val smaller = Seq(" WHERE a < 3", " WHERE a < 10", " WHERE a >= 20").map(of)
    new Query(
      s"table $name",
      Nil,
      if (name.endsWith("_few")) Nil else smaller,
      (_, _) => s"SELECT a, b, t, v FROM $name"
    )
  }

  private[this] def below: Query = {
    val of = table()
    random.nextInt(14) match {
      case 0 => filter(of)
      case 1 => kept(of)
      case 2 => grouped(of)
      case 3 => aliased(of)
      case 4 => topOf(of)
      case 5 => repartitioned(of)
      case 6 => exploded(of)
      case 7 => union(of, table())
      case 8 => udf(of)
      case 9 => values()
      case 10 => distinct(of)
      case _ => of
    }
  }

  private[this] def values(): Query = Query("values") { (_, _) =>
    "SELECT * FROM VALUES (1L, 4L, TIMESTAMP '2020-01-01 00:00:07Z', 'n1'), " +
      "(2L, 2L, TIMESTAMP '2020-01-01 00:00:30Z', CAST(NULL AS STRING)), " +
      "(CAST(NULL AS BIGINT), 9L, CAST(NULL AS TIMESTAMP), 'n2') AS x(a, b, t, v)"
  }

  // ---- our operators ----

  private[this] def join(l: Query, r: Query): Query = {
    val how =
      oneOf(Seq("INNER", "INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI", "CROSS"))
    if (chance(8)) rowWindow(l, r, if (how == "CROSS") "INNER" else how)
    else {
      val near = oneOf(
        Seq(
          s"l.a - r.a BETWEEN -${random.nextInt(4)} AND ${random.nextInt(5)}",
          s"abs(l.b - r.b) <= ${random.nextInt(3)}",
          "r.t BETWEEN l.t - INTERVAL 3 SECONDS AND l.t + INTERVAL 5 SECONDS",
          "CAST(l.b AS DOUBLE) - r.b BETWEEN -1.5D AND 0.5D",
          "l.a BETWEEN r.a - 2 AND r.a + 2 AND abs(l.b - r.b) <= 5",
          "l.a <= r.b AND r.a <= l.b",
          "same(l.a) - r.a BETWEEN -1 AND 1"
        )
      )
      val keyed = if (chance(35)) oneOf(Seq("l.v = r.v AND ", "l.b % 4 = r.b % 4 AND ")) else ""
      val rest =
        if (chance(25)) oneOf(Seq(" AND l.v <> r.v", " AND same(l.b) <= r.b + 30")) else ""
      val hinted = if (chance(45)) oneOf(Seq("", "'sweep'", "'index'", "'broadcast'", "'matrix'"))
      else "none"
      val hint = if (hinted == "none") ""
      else if (hinted.isEmpty) "/*+ WINDOW_JOIN */ " else s"/*+ WINDOW_JOIN($hinted) */ "
      val chosen = columns(how)
      Query(s"$how join $hint", l, r) { (_, in) =>
        s"SELECT $hint$chosen FROM (${in(0)}) l $how JOIN (${in(1)}) r ON $keyed$near$rest"
      }
    }
  }

  private[this] def columns(how: String): String =
    if (how.endsWith("SEMI") || how.endsWith("ANTI")) "l.a, l.b, l.t, l.v"
    else oneOf(Seq("l.a, r.b, l.t, r.v", "l.a, l.b, r.t, r.v", "r.a, r.b, r.t, l.v"))

  /** In plain Spark the places of the rows in the order of both inputs are counted. */
  private[this] def rowWindow(l: Query, r: Query, how: String): Query = {
    val n = 1 + random.nextInt(4)
    val of = columns(how)
    val perKey = chance(40)
    val (keys, part, same) =
      if (perKey) (", l.v, r.v", "PARTITION BY v ", "l.v = r.v AND ") else ("", "", "")
    Query(s"$how join over $n rows${if (perKey) " per key" else ""}", l, r) { (in, from) =>
      if (!in.isPlain)
        s"SELECT $of FROM (${from(0)}) l $how JOIN (${from(1)}) r ON " +
          s"within_rows(l.t, r.t, $n$keys) AND abs(l.b - r.b) <= 9"
      else {
        val (left, right) = (from(0), from(1))
        def placed(side: Int) =
          s"(SELECT * FROM (SELECT *, " +
            "count_if(side = 0 AND t IS NOT NULL) OVER counted AS ls, " +
            "count_if(side = 1 AND t IS NOT NULL) OVER counted AS rs " +
            s"FROM (SELECT 0 AS side, a, b, t, v FROM ($left) UNION ALL SELECT 1 AS side, a, b, t, v FROM ($right)) " +
            s"WINDOW counted AS (${part}ORDER BY t, side, a, b, v ROWS UNBOUNDED PRECEDING)) WHERE side = $side)"
        s"SELECT $of FROM ${placed(0)} l $how JOIN ${placed(1)} r ON ${same}l.t IS NOT NULL AND r.t IS NOT NULL AND " +
          s"((r.rs <= l.rs AND r.rs > l.rs - $n) OR (l.ls <= r.ls AND l.ls > r.ls - $n)) AND abs(l.b - r.b) <= 9"
      }
    }
  }

  private[this] def windows(of: Query): Query = {
    val slide = oneOf(Seq(2, 5, 10))
    val size = slide + 1 + random.nextInt(slide * 4)
    val by = s"window(t, '$size seconds', '$slide seconds', '${random.nextInt(slide)} seconds')"
    val functions = oneOf(
      Seq(
        "count(*)" -> "sum(b)",
        "max(a)" -> "count(v)",
        "sum(a) + 1" -> "min(b)",
        "bigint(avg(a))" -> "count(DISTINCT b)"
      )
    )
    val (key, group, having) = oneOf(
      Seq(
        ("max(v)", "", ""),
        ("v", ", v", ""),
        ("v", ", v", " HAVING count(*) > 1"),
        ("string(b % 3)", ", b % 3", "")
      )
    )
    Query("windows", of) { (_, in) =>
      s"SELECT bigint(${functions._1}) AS a, bigint(${functions._2}) AS b, window.start AS t, $key AS v FROM (${in(0)}) " +
        s"GROUP BY $by$group$having"
    }
  }

  // ---- what stands between and above ----

  private[this] def wrapped(of: Query, times: Int): Query =
    if (times == 0) of else wrapped(wrap(of), times - 1)

  private[this] def wrap(of: Query): Query = random.nextInt(29) match {
    case 0 => filter(of)
    case 1 => projected(of)
    case 2 => distinct(of)
    case 3 => topOf(of)
    case 4 => countOfLimit(of)
    case 5 => windowFunction(of)
    case 6 => union(of, of)
    case 7 => union(of, below)
    case 8 => setOperation(of, below)
    case 9 => exists(of, below)
    case 10 => in(of, below)
    case 11 => scalar(of, below)
    case 12 => scalar(below, of)
    case 13 => grouped(of)
    case 14 => global(of)
    case 15 => distinctCounts(of)
    case 16 => rollup(of)
    case 17 => kept(of)
    case 18 => twice(of)
    case 19 => udf(of)
    case 20 => repartitioned(of)
    case 21 => exploded(of)
    case 22 => sampled(of)
    case 23 => ordinaryJoin(of, below)
    case 24 => setOperation(of, of)
    case 25 => exists(below, of)
    case 26 => sorted(of)
    case 27 => lateral(of, below)
    case 28 => lateral(below, of)
  }

  private[this] def one(label: String, of: Query)(text: String => String): Query =
    Query(label, of)((_, in) => text(in(0)))

  private[this] def two(
      label: String,
      l: Query,
      r: Query
  )(text: (String, String) => String): Query =
    Query(label, l, r)((_, in) => text(in(0), in(1)))

  private[this] def filter(of: Query): Query = {
    val on = oneOf(
      Seq(
        "a % 3 = 1",
        "b IS NOT NULL",
        "v > 'n1'",
        "t IS NULL OR a < 8",
        "a = 4",
        "false",
        "same(a) < 9"
      )
    )
    one("filter", of)(q => s"SELECT a, b, t, v FROM ($q) WHERE $on")
  }

  private[this] def projected(of: Query): Query =
    one("projection", of)(q =>
      s"SELECT b AS a, a % 7 AS b, t, concat(v, 'x') AS v FROM ($q)"
    )

  private[this] def aliased(of: Query): Query =
    one("projection", of)(q =>
      s"SELECT a + 1 AS a, a AS b, t + INTERVAL 1 SECOND AS t, v FROM ($q)"
    )

  private[this] def distinct(of: Query): Query =
    if (chance(50)) one("distinct", of)(q => s"SELECT DISTINCT a, b, t, v FROM ($q)")
    else
      one("distinct of few", of)(q =>
        s"SELECT DISTINCT b - b AS a, b % 2 AS b, CAST(NULL AS TIMESTAMP) AS t, v FROM ($q)"
      )

  private[this] def topOf(of: Query): Query = {
    val order = oneOf(Seq("a, b, t, v", "v DESC, t, b, a DESC", "t DESC NULLS FIRST, v, a, b"))
    val part = oneOf(Seq("LIMIT 4", "LIMIT 30", "LIMIT 3 OFFSET 2", "OFFSET 5"))
    one("first of an order", of)(q => s"SELECT a, b, t, v FROM ($q) ORDER BY $order $part")
  }

  private[this] def countOfLimit(of: Query): Query = {
    val part = oneOf(Seq("LIMIT 1", "LIMIT 7", "LIMIT 100", "LIMIT 5 OFFSET 3", "OFFSET 4"))
    one("count of a limit", of)(q =>
      s"SELECT count(*) AS a, 0L AS b, CAST(NULL AS TIMESTAMP) AS t, '' AS v FROM (SELECT * FROM ($q) $part)"
    )
  }

  private[this] def windowFunction(of: Query): Query = {
    val function = oneOf(
      Seq(
        "row_number() OVER (PARTITION BY v ORDER BY a, b, t)",
        "rank() OVER (ORDER BY t, a)",
        "count(a) OVER (PARTITION BY b)",
        "sum(a) OVER (ORDER BY a, b, t, v RANGE UNBOUNDED PRECEDING)".replace(
          "RANGE UNBOUNDED PRECEDING",
          ""
        )
      )
    )
    one("window function", of)(q => s"SELECT bigint($function) AS a, b, t, v FROM ($q)")
  }

  private[this] def union(l: Query, r: Query): Query =
    two("union", l, r)((x, y) => s"SELECT * FROM ($x) UNION ALL SELECT * FROM ($y)")

  private[this] def setOperation(l: Query, r: Query): Query = {
    val how = oneOf(Seq("INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL", "UNION"))
    two(how, l, r)((x, y) => s"SELECT * FROM ($x) $how SELECT * FROM ($y)")
  }

  private[this] def exists(of: Query, other: Query): Query = {
    val not = if (chance(40)) "NOT " else ""
    val on = oneOf(
      Seq(
        "o.a BETWEEN q.a - 2 AND q.a + 1",
        "o.v = q.v AND abs(o.a - q.a) <= 3",
        "o.a = q.b",
        "o.a < q.a - 20"
      )
    )
    two(s"${not}exists", of, other)((x, y) =>
      s"SELECT a, b, t, v FROM ($x) q WHERE ${not}EXISTS (SELECT * FROM ($y) o WHERE $on)"
    )
  }

  private[this] def in(of: Query, other: Query): Query = {
    val not = if (chance(40)) "NOT " else ""
    val where = oneOf(Seq("", "", " WHERE o.a BETWEEN q.a - 3 AND q.a + 3"))
    two(s"${not}in", of, other)((x, y) =>
      s"SELECT a, b, t, v FROM ($x) q WHERE q.b ${not}IN (SELECT o.b FROM ($y) o$where)"
    )
  }

  private[this] def scalar(of: Query, other: Query): Query =
    oneOf(
      Seq(
        "SELECT a, (SELECT max(b) FROM (%2$s)) AS b, t, v FROM (%1$s)",
        "SELECT a, (SELECT count(*) FROM (%2$s) o WHERE o.v = q.v) AS b, t, v FROM (%1$s) q",
        "SELECT a, b, t, v FROM (%1$s) WHERE a < (SELECT max(a) FROM (%2$s))",
        "SELECT a, b, (SELECT min(t) FROM (%2$s)) AS t, v FROM (%1$s)"
      ).map(text => two("scalar subquery", of, other)((x, y) => text.format(x, y)))
    )

  private[this] def grouped(of: Query): Query =
    oneOf(
      Seq(
        "SELECT count(*) AS a, sum(b) AS b, max(t) AS t, v FROM (%s) GROUP BY v",
        "SELECT a, max(b) AS b, t, min(v) AS v FROM (%s) GROUP BY a, t",
        "SELECT a % 3 AS a, count(b) AS b, min(t) AS t, max(v) AS v FROM (%s) GROUP BY a % 3"
      ).map(text => one("groups", of)(text.format(_)))
    )

  private[this] def global(of: Query): Query = one("aggregate", of)(q =>
    s"SELECT count(*) AS a, sum(a) + count(b) AS b, max(t) AS t, min(v) AS v FROM ($q)"
  )

  private[this] def distinctCounts(of: Query): Query = one("counts of distinct", of)(q =>
    s"SELECT count(DISTINCT a) AS a, count(DISTINCT b, v) AS b, max(t) AS t, v FROM ($q) GROUP BY v"
  )

  private[this] def rollup(of: Query): Query = {
    val by =
      oneOf(Seq("ROLLUP (v, b % 2)", "CUBE (v, b % 2)", "GROUPING SETS ((v), (b % 2), ())"))
    one("rollup", of)(q =>
      s"SELECT count(*) AS a, b % 2 AS b, max(t) AS t, v FROM ($q) GROUP BY $by"
    )
  }

  private[this] def kept(of: Query): Query = {
    val how = oneOf(Rendering.Kept)
    Query(how, of)((in, from) => s"SELECT a, b, t, v FROM ${in.keep(how, from(0))}")
  }

  private[this] def twice(of: Query): Query = {
    val use = oneOf(
      Seq(
        "SELECT a, b, t, v FROM {} UNION ALL SELECT b, a, t, v FROM {} WHERE a < 9",
        "SELECT x.a, y.n AS b, x.t, x.v FROM {} x JOIN (SELECT v, count(*) AS n FROM {} GROUP BY v) y ON x.v = y.v",
        "SELECT a, b, t, v FROM {} WHERE a > (SELECT avg(a) FROM {})",
        "SELECT a, b, t, v FROM {} x WHERE EXISTS (SELECT * FROM {} y WHERE y.b BETWEEN x.b + 1 AND x.b + 2)"
      )
    )
    Query("table expression used twice", of) { (in, from) =>
      val name = in.fresh("cte")
      s"WITH $name AS (${from(0)}) ${use.replace("{}", name)}"
    }
  }

  private[this] def udf(of: Query): Query =
    one("UDF", of)(q => s"SELECT same(a) AS a, b, t, marked(v) AS v FROM ($q) WHERE same(b) < 50")

  private[this] def repartitioned(of: Query): Query = {
    val hint = oneOf(Seq(
      "REPARTITION(3)",
      "REPARTITION(2, v)",
      "COALESCE(1)",
      "REBALANCE",
      "REPARTITION_BY_RANGE(2, a)"
    ))
    one(hint, of)(q => s"SELECT /*+ $hint */ a, b, t, v FROM ($q)")
  }

  private[this] def sorted(of: Query): Query = {
    val by =
      oneOf(Seq("SORT BY a DESC", "CLUSTER BY v", "DISTRIBUTE BY b SORT BY t", "ORDER BY a"))
    one(by, of)(q => s"SELECT a, b, t, v FROM ($q) $by")
  }

  private[this] def lateral(of: Query, other: Query): Query = {
    val rows = oneOf(
      Seq(
        "SELECT o.b FROM ({}) o WHERE o.a BETWEEN q.a - 1 AND q.a + 1",
        "SELECT max(o.b) AS b FROM ({}) o WHERE o.v = q.v",
        "SELECT count(*) AS b FROM ({}) o WHERE o.a BETWEEN q.a - 2 AND q.a"
      )
    )
    two("lateral subquery", of, other)((x, y) =>
      s"SELECT q.a, n.b, q.t, q.v FROM ($x) q, LATERAL (${rows.replace("{}", y)}) n"
    )
  }

  private[this] def exploded(of: Query): Query = one("explode", of)(q =>
    s"SELECT a, n AS b, t, v FROM ($q) LATERAL VIEW explode(array(b, 1L)) e AS n"
  )

  private[this] def sampled(of: Query): Query =
    one("sample of all", of)(q => s"SELECT a, b, t, v FROM ($q) TABLESAMPLE (100 PERCENT)")

  private[this] def ordinaryJoin(l: Query, r: Query): Query = {
    val how = oneOf(Seq("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
    two(s"ordinary $how", l, r)((x, y) =>
      s"SELECT x.a, y.b, x.t, y.v FROM ($x) x $how (SELECT max(a) AS a, max(b) AS b, v FROM ($y) GROUP BY v) y ON x.v = y.v"
    )
  }
}
