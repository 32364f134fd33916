package io.scalegate.spark.around

/** Draws what stands below, between and above the operators of this package. */
final class Surroundings(draw: Draw, tables: Seq[String]) {
  import draw.{below => number, chance, oneOf}

  private[this] def table(): Query = {
    val name = draw.weighted(tables.map(n => often(n) -> n): _*)
    def filtered(where: String) =
      new Query(s"table $name", Nil, Nil, (_, _) => s"SELECT a, b, t, v FROM $name$where")
    val smaller = Seq(" WHERE a < 3", " WHERE a < 10", " WHERE a >= 20").map(filtered)
    new Query(
      s"table $name",
      Nil,
      if (name.endsWith("_few")) Nil else smaller,
      (_, _) => s"SELECT a, b, t, v FROM $name"
    )
  }

  /** Empty tables make an end of most queries before they are run. */
  private[this] def often(name: String) =
    if (name.endsWith("_none_few")) 1 else if (name.endsWith("_few")) 3 else 12

  def below: Query = {
    val input = table()
    number(14) match {
      case 0 => filter(input)
      case 1 => kept(input)
      case 2 => grouped(input)
      case 3 => aliased(input)
      case 4 => topOf(input)
      case 5 => repartitioned(input)
      case 6 => exploded(input)
      case 7 => union(input, table())
      case 8 => udf(input)
      case 9 => values()
      case 10 => distinct(input)
      case _ => input
    }
  }

  private[this] def values(): Query = Query("values") { (_, _) =>
    "SELECT * FROM VALUES (1L, 4L, TIMESTAMP '2020-01-01 00:00:07Z', 'n1'), " +
      "(2L, 2L, TIMESTAMP '2020-01-01 00:00:30Z', CAST(NULL AS STRING)), " +
      "(CAST(NULL AS BIGINT), 9L, CAST(NULL AS TIMESTAMP), 'n2') AS x(a, b, t, v)"
  }

  def wrapped(input: Query, times: Int): Query =
    if (times == 0) input else wrapped(wrap(input), times - 1)

  private[this] def wrap(input: Query): Query = number(34) match {
    case 0 => filter(input)
    case 1 => projected(input)
    case 2 => distinct(input)
    case 3 => topOf(input)
    case 4 => countOfLimit(input)
    case 5 => windowFunction(input)
    case 6 => union(input, input)
    case 7 => union(input, below)
    case 8 => setOperation(input, below)
    case 9 => exists(input, below)
    case 10 => in(input, below)
    case 11 => scalar(input, below)
    case 12 => scalar(below, input)
    case 13 => grouped(input)
    case 14 => global(input)
    case 15 => distinctCounts(input)
    case 16 => rollup(input)
    case 17 => kept(input)
    case 18 => twice(input)
    case 19 => udf(input)
    case 20 => repartitioned(input)
    case 21 => exploded(input)
    case 22 => sampled(input)
    case 23 => ordinaryJoin(input, below)
    case 24 => setOperation(input, input)
    case 25 => exists(below, input)
    case 26 => sorted(input)
    case 27 => lateral(input, below)
    case 28 => lateral(below, input)
    case 29 => udf(input)
    case 30 => kept(input)
    case 31 => functionsOfTables(input)
    case 32 => pivoted(input)
    case 33 => topOfEach(input)
  }

  private[this] def one(label: String, input: Query)(text: String => String): Query =
    Query(label, input)((_, in) => text(in(0)))

  private[this] def two(
      label: String,
      l: Query,
      r: Query
  )(text: (String, String) => String): Query =
    Query(label, l, r)((_, in) => text(in(0), in(1)))

  private[this] def filter(input: Query): Query = {
    val on = draw.weighted(
      6 -> "a % 3 <> 1",
      6 -> "b IS NOT NULL",
      6 -> "v > 'n1'",
      6 -> "t IS NULL OR a < 18",
      2 -> "a = 4",
      1 -> "false",
      6 -> "same(a) < 19"
    )
    one("filter", input)(q => s"SELECT a, b, t, v FROM ($q) WHERE $on")
  }

  private[this] def projected(input: Query): Query =
    one("projection", input)(q =>
      s"SELECT b AS a, a % 7 AS b, t, concat(v, 'x') AS v FROM ($q)"
    )

  private[this] def aliased(input: Query): Query =
    one("projection", input)(q =>
      s"SELECT a + 1 AS a, a AS b, t + INTERVAL 1 SECOND AS t, v FROM ($q)"
    )

  private[this] def distinct(input: Query): Query =
    if (chance(50)) one("distinct", input)(q => s"SELECT DISTINCT a, b, t, v FROM ($q)")
    else
      one("distinct of few", input)(q =>
        s"SELECT DISTINCT b - b AS a, b % 2 AS b, CAST(NULL AS TIMESTAMP) AS t, v FROM ($q)"
      )

  private[this] def topOf(input: Query): Query = {
    val order = oneOf(Seq("a, b, t, v", "v DESC, t, b, a DESC", "t DESC NULLS FIRST, v, a, b"))
    val part = oneOf(Seq("LIMIT 4", "LIMIT 30", "LIMIT 3 OFFSET 2", "OFFSET 5"))
    one("first of an order", input)(q => s"SELECT a, b, t, v FROM ($q) ORDER BY $order $part")
  }

  private[this] def countOfLimit(input: Query): Query = {
    val part = oneOf(Seq("LIMIT 1", "LIMIT 7", "LIMIT 100", "LIMIT 5 OFFSET 3", "OFFSET 4"))
    one("count of a limit", input)(q =>
      s"SELECT count(*) AS a, 0L AS b, CAST(NULL AS TIMESTAMP) AS t, '' AS v FROM (SELECT * FROM ($q) $part)"
    )
  }

  private[this] def windowFunction(input: Query): Query = {
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
    one("window function", input)(q => s"SELECT bigint($function) AS a, b, t, v FROM ($q)")
  }

  private[this] def union(l: Query, r: Query): Query =
    two("union", l, r)((x, y) => s"SELECT * FROM ($x) UNION ALL SELECT * FROM ($y)")

  private[this] def setOperation(l: Query, r: Query): Query = {
    val how = oneOf(Seq("INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL", "UNION"))
    two(how, l, r)((x, y) => s"SELECT * FROM ($x) $how SELECT * FROM ($y)")
  }

  private[this] def exists(input: Query, other: Query): Query = {
    val not = if (chance(40)) "NOT " else ""
    val on = oneOf(
      Seq(
        "o.a BETWEEN q.a - 2 AND q.a + 1",
        "o.v = q.v AND abs(o.a - q.a) <= 3",
        "o.a = q.b",
        "o.a < q.a - 20"
      )
    )
    two(s"${not}exists", input, other)((x, y) =>
      s"SELECT a, b, t, v FROM ($x) q WHERE ${not}EXISTS (SELECT * FROM ($y) o WHERE $on)"
    )
  }

  private[this] def in(input: Query, other: Query): Query = {
    val not = if (chance(40)) "NOT " else ""
    val where = oneOf(Seq("", "", " WHERE o.a BETWEEN q.a - 3 AND q.a + 3"))
    two(s"${not}in", input, other)((x, y) =>
      s"SELECT a, b, t, v FROM ($x) q WHERE q.b ${not}IN (SELECT o.b FROM ($y) o$where)"
    )
  }

  private[this] def scalar(input: Query, other: Query): Query =
    oneOf(
      Seq(
        "SELECT a, (SELECT max(b) FROM ({2})) AS b, t, v FROM ({1})",
        "SELECT a, (SELECT count(*) FROM ({2}) o WHERE o.v = q.v) AS b, t, v FROM ({1}) q",
        "SELECT a, b, t, v FROM ({1}) WHERE a < (SELECT max(a) FROM ({2}))",
        "SELECT a, b, (SELECT min(t) FROM ({2})) AS t, v FROM ({1})"
      ).map(text =>
        two("scalar subquery", input, other)((x, y) => text.replace("{1}", x).replace("{2}", y))
      )
    )

  private[this] def grouped(input: Query): Query =
    oneOf(
      Seq(
        "SELECT count(*) AS a, sum(b) AS b, max(t) AS t, v FROM ({}) GROUP BY v",
        "SELECT a, max(b) AS b, t, min(v) AS v FROM ({}) GROUP BY a, t",
        "SELECT a % 3 AS a, count(b) AS b, min(t) AS t, max(v) AS v FROM ({}) GROUP BY a % 3"
      ).map(text => one("groups", input)(q => text.replace("{}", q)))
    )

  private[this] def global(input: Query): Query = one("aggregate", input)(q =>
    s"SELECT count(*) AS a, sum(a) + count(b) AS b, max(t) AS t, min(v) AS v FROM ($q)"
  )

  private[this] def distinctCounts(input: Query): Query = one("counts of distinct", input)(q =>
    s"SELECT count(DISTINCT a) AS a, count(DISTINCT b, v) AS b, max(t) AS t, v FROM ($q) GROUP BY v"
  )

  private[this] def rollup(input: Query): Query = {
    val by =
      oneOf(Seq("ROLLUP (v, b % 2)", "CUBE (v, b % 2)", "GROUPING SETS ((v), (b % 2), ())"))
    one("rollup", input)(q =>
      s"SELECT count(*) AS a, b % 2 AS b, max(t) AS t, v FROM ($q) GROUP BY $by"
    )
  }

  private[this] def kept(input: Query): Query = {
    val how = oneOf(Rendering.Kept)
    Query(how, input)((in, from) => s"SELECT a, b, t, v FROM ${in.keep(how, from(0))}")
  }

  private[this] def twice(input: Query): Query = {
    val use = oneOf(
      Seq(
        "SELECT a, b, t, v FROM {} UNION ALL SELECT b, a, t, v FROM {} WHERE a < 9",
        "SELECT x.a, y.n AS b, x.t, x.v FROM {} x JOIN (SELECT v, count(*) AS n FROM {} GROUP BY v) y ON x.v = y.v",
        "SELECT a, b, t, v FROM {} WHERE a > (SELECT avg(a) FROM {})",
        "SELECT a, b, t, v FROM {} x WHERE EXISTS (SELECT * FROM {} y WHERE y.b BETWEEN x.b + 1 AND x.b + 2)"
      )
    )
    Query("table expression used twice", input) { (in, from) =>
      val name = in.fresh("cte")
      s"WITH $name AS (${from(0)}) ${use.replace("{}", name)}"
    }
  }

  private[this] def udf(input: Query): Query =
    oneOf(
      Seq(
        "SELECT same(a) AS a, b, t, marked(v) AS v FROM ({}) WHERE same(b) < 50",
        "SELECT total(a) AS a, total(DISTINCT b) AS b, max(t) AS t, v FROM ({}) GROUP BY v",
        "SELECT total(a) OVER (PARTITION BY v ORDER BY a, b, t) AS a, b, t, v FROM ({})",
        "SELECT plus_one(a) AS a, b, t, v FROM ({}) WHERE plus_one(b) > 3"
      ).map(text => one("UDF", input)(q => text.replace("{}", q)))
    )

  /** A function in SQL that gives rows, and generators. */
  private[this] def functionsOfTables(input: Query): Query =
    oneOf(
      Seq(
        "SELECT q.a, n.x AS b, q.t, q.v FROM ({}) q, LATERAL next_two(q.b) n",
        "SELECT a, n AS b, t, v FROM ({}) LATERAL VIEW OUTER explode(sequence(1L, b % 3)) e AS n",
        "SELECT x AS a, y AS b, t, v FROM ({}) LATERAL VIEW stack(2, a, b, b, a) e AS x, y"
      ).map(text => one("function that gives rows", input)(q => text.replace("{}", q)))
    )

  private[this] def pivoted(input: Query): Query = one("pivot", input)(q =>
    s"SELECT n1 AS a, n2 AS b, t, CAST(NULL AS STRING) AS v FROM (SELECT a, t, v FROM ($q)) " +
      "PIVOT (bigint(count(a)) FOR v IN ('n1' AS n1, 'n2' AS n2))"
  )

  private[this] def topOfEach(input: Query): Query = one("first of each", input)(q =>
    "SELECT a, b, t, v FROM (SELECT *, row_number() OVER (PARTITION BY v ORDER BY a, b, t) AS n " +
      s"FROM ($q)) WHERE n <= 2"
  )

  private[this] def repartitioned(input: Query): Query = {
    val hint = oneOf(Seq(
      "REPARTITION(3)",
      "REPARTITION(2, v)",
      "COALESCE(1)",
      "REBALANCE",
      "REPARTITION_BY_RANGE(2, a)"
    ))
    one(hint, input)(q => s"SELECT /*+ $hint */ a, b, t, v FROM ($q)")
  }

  private[this] def sorted(input: Query): Query = {
    val by =
      oneOf(Seq("SORT BY a DESC", "CLUSTER BY v", "DISTRIBUTE BY b SORT BY t", "ORDER BY a"))
    one(by, input)(q => s"SELECT a, b, t, v FROM ($q) $by")
  }

  private[this] def lateral(input: Query, other: Query): Query = {
    val rows = oneOf(
      Seq(
        "SELECT o.b FROM ({}) o WHERE o.a BETWEEN q.a - 1 AND q.a + 1",
        "SELECT max(o.b) AS b FROM ({}) o WHERE o.v = q.v",
        "SELECT count(*) AS b FROM ({}) o WHERE o.a BETWEEN q.a - 2 AND q.a"
      )
    )
    two("lateral subquery", input, other)((x, y) =>
      s"SELECT q.a, n.b, q.t, q.v FROM ($x) q, LATERAL (${rows.replace("{}", y)}) n"
    )
  }

  private[this] def exploded(input: Query): Query = one("explode", input)(q =>
    s"SELECT a, n AS b, t, v FROM ($q) LATERAL VIEW explode(array(b, 1L)) e AS n"
  )

  private[this] def sampled(input: Query): Query =
    one("sample of all", input)(q => s"SELECT a, b, t, v FROM ($q) TABLESAMPLE (100 PERCENT)")

  private[this] def ordinaryJoin(l: Query, r: Query): Query = {
    val how = oneOf(Seq("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
    two(s"ordinary $how", l, r)((x, y) =>
      s"SELECT x.a, y.b, x.t, y.v FROM ($x) x $how (SELECT max(a) AS a, max(b) AS b, v FROM ($y) GROUP BY v) y ON x.v = y.v"
    )
  }
}
