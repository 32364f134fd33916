package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.{DataFrame, Row}

import io.scalegate.Sample

/** Aggregates over the rows around each row, written as subqueries, against plain Spark, which joins and groups. With
  * `SCALEGATE_SOAK` each kind of interval is tried with a key and without one, and whatever else comes in several
  * combinations with all of them; otherwise by turns.
  */
final class IntervalAggregateSuite extends AggregateQueries {

  /** Doubles in them are halves and whole numbers, whose sums are exact in any order. */
  private val numbers =
    "count(*) AS n, count(q.i) AS ni, sum(q.i) AS s, avg(q.i) AS a, min(q.m) AS low, max(q.ts) AS last, " +
      "sum(q.m) AS sm, count(DISTINCT 1) AS one"
  private val plain = numbers.replace(", count(DISTINCT 1) AS one", "")

  private def lateral(
      condition: String,
      functions: String = plain,
      left: String = "r",
      how: String = ","
  ) =
    s"SELECT o.id, o.k, o.ts, a.* FROM $left o $how LATERAL (SELECT $functions FROM s q WHERE $condition) a"

  private val around = Seq(
    "timestamps" -> "q.ts BETWEEN o.ts - INTERVAL 3 HOURS AND o.ts + INTERVAL 20 MINUTES",
    "rows before" -> "q.ts < o.ts AND q.ts >= o.ts - INTERVAL 5 HOURS",
    "rows behind" -> "q.ts BETWEEN o.ts + INTERVAL 1 HOUR AND o.ts + INTERVAL 2 HOURS",
    "times without a zone" -> "q.tn - o.tn BETWEEN INTERVAL -2 HOURS AND INTERVAL 2 HOURS",
    "dates" -> "q.d BETWEEN date_sub(o.d, 2) AND date_add(o.d, 1)",
    "dates before" -> "q.d < o.d AND q.d > date_sub(o.d, 3)",
    "dates, and a difference of them" -> "o.d - q.d BETWEEN INTERVAL 0 DAYS AND INTERVAL 2 DAYS",
    "integers" -> "abs(CAST(q.i AS BIGINT) - o.i) <= 3",
    "long integers" -> "q.l BETWEEN o.l - 1 AND o.l + 1",
    "decimals" -> "q.m BETWEEN o.m - 1.5 AND o.m + 2.25",
    "no end" -> "q.ts <= o.ts"
  )

  for {
    ((name, within), i) <- around.zipWithIndex if name != "no end"
    (keys, condition) <-
      Sample.turn(Seq("by a key" -> "q.k = o.k AND ", "without a key" -> ""), i)
  } test(s"$keys, $name")(assertAggregates(lateral(condition + within)))

  test("keys of any type") {
    val functions = if (Sample.isSoak) plain else "count(*) AS n, sum(q.i) AS s"
    for {
      keys <- Seq(
        "o.name = q.name",
        "o.k = q.k AND o.name = q.name",
        "o.x = q.x",
        "(o.name COLLATE UTF8_LCASE) = (upper(q.name) COLLATE UTF8_LCASE)",
        "o.k <=> q.k"
      )
    } assertAggregates(lateral(s"$keys AND ${around.head._2}", functions))
  }

  test("functions whose partial results hold objects, and filters") {
    assertAggregates(
      lateral(
        s"q.k = o.k AND ${around.head._2}",
        "max(q.name) AS n, array_sort(collect_list(q.i)) AS all, percentile(q.i, 0.5) AS mid, " +
          "approx_count_distinct(q.name) AS names, count(*) FILTER (WHERE q.i > 2) AS big, " +
          "count_if(q.i > l_i) AS more, sum(q.i + 1) AS up, max_by(q.id, q.ts) AS at"
            .replace("count_if(q.i > l_i)", "count_if(q.i > 4)")
      )
    )
  }

  test("what is computed of the results, and conditions on right rows") {
    assertAggregates(
      lateral(
        s"q.k = o.k AND q.i > 0 AND ${around.head._2} AND q.name <> 'a'",
        "coalesce(max(q.i), -1) + count(*) AS v, 7 AS seven"
      )
    )
  }

  test("a value in a list of columns, in an expression, and in a filter") {
    val within = s"q.k = o.k AND ${around.head._2}"
    assertAggregates(
      s"SELECT id, 1 + (SELECT count(*) FROM s q WHERE $within) AS n, " +
        s"(SELECT max(i) FROM s q WHERE $within) AS high FROM r o"
    )
    assertAggregates(
      s"SELECT id, k FROM r o WHERE i > (SELECT avg(q.i) FROM s q WHERE $within) OR k IS NULL"
    )
  }

  test("left rows whose rows are not given, joins and aggregates around it") {
    val query = lateral(s"q.k = o.k AND ${around.head._2}")
    assertAggregates(s"SELECT id, n FROM ($query) WHERE k = 2 AND n > 1")
    assertAggregates(s"SELECT k, sum(n), max(s) FROM ($query) GROUP BY k")
    assertAggregates(s"SELECT x.n, y.id FROM ($query) x JOIN r y ON x.id = y.id")
    assertAggregates(s"SELECT count(if(n >= 0, 1, NULL)) FROM (SELECT * FROM ($query) LIMIT 7)")
    assertAggregates(s"SELECT DISTINCT n FROM ($query) ORDER BY n LIMIT 3")
    assertAggregates(
      s"SELECT z.id, z.n, c.* FROM ($query) z, LATERAL (SELECT sum(q.i) AS t FROM r q WHERE q.k = z.k AND " +
        "q.ts BETWEEN z.ts AND z.ts + INTERVAL 1 HOUR) c",
      nodes = 2
    )
  }

  test("rows of a subquery that has columns of its own") {
    for (
      rows <- Seq(
        "(SELECT k + 1 AS key, ts AS at, i * 2 AS i, m, ts FROM s)",
        "(SELECT k AS key, ts AS at, i, m, ts FROM s WHERE m > 0)",
        "(SELECT max(k) AS key, ts AS at, max(i) AS i, max(m) AS m, ts FROM s GROUP BY ts, name)"
      )
    )
      assertAggregates(
        s"SELECT o.id, a.* FROM r o, LATERAL (SELECT $plain FROM $rows q WHERE q.key = o.k AND " +
          "q.at BETWEEN o.ts - INTERVAL 1 HOUR AND o.ts) a"
      )
  }

  test("rows that a subquery of their own chooses, also of the outer rows' table") {
    for {
      i <- 0 to 2
      table <- Sample.turn(Seq("s", "r"), i)
      rows = Seq(
        s"(SELECT * FROM $table y WHERE EXISTS (SELECT * FROM r e WHERE e.i = y.i + 1))",
        s"(SELECT * FROM $table y WHERE i IN (SELECT i FROM r e WHERE e.k = y.k AND e.id <> y.id))",
        s"(SELECT *, (SELECT max(i) FROM r e WHERE e.k = y.k) AS most FROM $table y WHERE m > 0)"
      )(i)
    }
      assertAggregates(
        s"SELECT o.id, a.* FROM r o, LATERAL (SELECT $plain FROM $rows q WHERE q.k = o.k AND " +
          "q.ts BETWEEN o.ts - INTERVAL 1 HOUR AND o.ts) a"
      )
  }

  test("within a subquery that needs its outer row it is left to Spark") {
    val within = "q.k = o.k AND q.ts BETWEEN o.ts - INTERVAL 1 HOUR AND o.ts"
    assertAggregates(
      s"SELECT z.id, (SELECT max(a.n) FROM r o, LATERAL (SELECT count(*) AS n FROM s q WHERE $within) a " +
        "WHERE o.k = z.k) AS n FROM r z",
      nodes = 0
    )
    assertAggregates(
      s"SELECT z.id, (SELECT max(a.n) FROM r o, LATERAL (SELECT count(*) AS n FROM s q WHERE $within) a) AS n FROM r z"
    )
  }

  test("a table beside itself") {
    assertAggregates(
      "SELECT o.id, a.n FROM r o, LATERAL (SELECT count(*) AS n FROM r q WHERE q.k = o.k AND " +
        "q.ts BETWEEN o.ts - INTERVAL 1 HOUR AND o.ts) a"
    )
  }

  test("what is left to Spark gives Spark's rows") {
    val within = around.head._2
    assertLeftAsIs(
      Seq(
        lateral(s"q.k = o.k AND $within", numbers),
        lateral(s"q.k = o.k AND $within AND q.i < o.i"),
        lateral(s"q.k = o.k AND q.x BETWEEN o.x - 1 AND o.x + 1"),
        lateral(s"q.k = o.k"),
        lateral("q.k = o.k AND datediff(o.d, q.d) BETWEEN 0 AND 2"),
        lateral("q.k = o.k AND date_add(q.d, 1) >= o.d AND q.d <= o.d"),
        lateral(s"q.k = o.k AND $within AND o.i > 2")
      )
    )
  }

  /** Aggregates in several intervals, each of which another letter names. */
  private def several(parts: (String, String)*) = {
    val letters = "abcdef".map(_.toString).take(parts.size)
    val laterals = letters.zip(parts).map { case (letter, (within, functions)) =>
      s", LATERAL (SELECT $functions FROM s q WHERE $within) $letter"
    }
    s"SELECT o.id, o.k, ${letters.map(l => s"$l.*").mkString(", ")} FROM r o${laterals.mkString}"
  }

  private def hours(from: String, to: String) =
    s"q.ts BETWEEN o.ts + INTERVAL '$from' HOUR AND o.ts + INTERVAL '$to' HOUR"

  test("several intervals around the same times are one operator") {
    val objects = "array_sort(collect_list(q.i)) AS all, max_by(q.id, struct(q.ts, q.id)) AS top"
    for (key <- Seq("q.k = o.k AND ", "q.k = o.k + 1 AND q.m = o.m AND ")) {
      val nested = several(
        s"$key${hours("0", "1")}" -> "count(*) AS n, sum(q.i) AS s",
        s"$key${hours("-1", "6")}" -> plain,
        s"$key${hours("0", "3")}" -> objects
      )
      assertAggregates(nested)
    }
    // Rows without a key are cut along time, and are not cut for several that lie apart.
    for ((key, nodes) <- Seq("q.k = o.k AND " -> 1, "" -> 3)) {
      val apart = several(
        s"$key${hours("-5", "-1")}" -> "count(q.m) AS n, sum(q.m) AS s",
        s"$key${hours("1", "2")}" -> objects,
        s"$key${hours("0", "0")}" -> "max(q.i + 1) AS m, count(*) FILTER (WHERE q.i > 2) AS n"
      )
      assertAggregates(apart, nodes)
    }
    assertAggregates(
      s"SELECT id, (SELECT count(*) FROM s q WHERE q.k = o.k AND ${hours("0", "1")}) AS n, " +
        s"(SELECT max(i) FROM s q WHERE q.k = o.k AND ${hours("0", "9")}) AS m FROM r o"
    )
    // Times and keys that the subqueries compute.
    val computed = "(SELECT k + 1 AS k, ts + INTERVAL 1 MINUTE AS ts, i FROM s WHERE i > 1) q"
    assertAggregates(several(
      s"q.k = o.k AND ${hours("0", "1")}" -> "count(*) AS n",
      s"q.k = o.k AND ${hours("-1", "3")}" -> "sum(q.i) AS m"
    ).replace("s q", computed))
    val text = executed(spark.sql(several(
      hours("0", "1") -> "count(*) AS n",
      hours("0", "3") -> "count(*) AS n"
    ))).toString
    assert(
      "window: q.ts - o.ts in .*; aggregates: count\\(1\\); window: q.ts - o.ts in .*; aggregates: count\\(1\\); "
        .r.findFirstIn(text).nonEmpty,
      text
    )
  }

  test(
    "intervals of other rows, keys or times, and in a row that another makes, are operators each"
  ) {
    val (near, far) = (s"q.k = o.k AND ${hours("0", "1")}", s"q.k = o.k AND ${hours("0", "3")}")
    for (
      other <- Seq(
        s"$far AND q.i > 2",
        hours("0", "3"),
        "q.k = o.k AND q.tn - o.tn BETWEEN INTERVAL -2 HOURS AND INTERVAL 2 HOURS",
        s"q.k = a.n AND ${hours("0", "3")}"
      )
    ) assertAggregates(several(near -> "count(*) AS n", other -> "sum(q.i) AS s"), nodes = 2)
  }

  test("of several intervals those that nobody reads are not computed") {
    val query = several(
      s"q.k = o.k AND ${hours("0", "1")}" -> "count(*) AS n",
      s"q.k = o.k AND ${hours("0", "3")}" -> "count(*) AS m, max(q.i) AS top"
    )
    val node = aggregates(spark.sql(s"SELECT id, top FROM ($query)")).head
    assert(node.terms.intervals.size == 1 && node.toString.contains("aggregates: max(i);"), node)
    assertAggregates(s"SELECT id, n, top FROM ($query) WHERE m > 1")
  }

  test("what nobody reads is not computed, and left rows that nobody reads are not sent") {
    val query = lateral(s"q.k = o.k AND ${around.head._2}")
    assertAggregates(s"SELECT count(*), max(id) FROM ($query)", nodes = 0)
    val df = spark.sql(s"SELECT id, n FROM ($query) WHERE id % 3 = 1 AND n > 0")
    assert(rowsOf(df) == plainSpark(rowsOf(df)))
    val node = aggregates(df).head
    assert(node.output.map(_.name) == Seq("id", "n"))
    assert(node.toString.contains("aggregates: count(1);"), node)
    assert(node.left.toString.contains("% 3) = 1)"), node)
  }

  private[this] def millis(row: Row, column: Int): Long = row.getTimestamp(column).getTime

  /** Of each left row the ids of the right rows in its interval, and of the one that prevails when that begins. */
  private[this] def prevailing(key: String, after: String): Seq[(String, Seq[Int])] = {
    val pairs = plainSpark(spark.sql(
      s"SELECT o.id, o.ts - INTERVAL 30 MINUTES, q.id, q.ts FROM r o JOIN s q ON $key q.ts <= o.ts + $after"
    ).collect().toSeq).groupBy(_.get(0)).map { case (id, rows) =>
      val start = millis(rows.head, 1)
      val (before, within) = rows.partition(millis(_, 3) < start)
      // Of rows of one time the one with the greatest id prevails, since no other column is read.
      val prior =
        if (within.exists(millis(_, 3) == start)) None
        else before.maxByOption(row => (millis(row, 3), row.getInt(2)))
      id -> (within ++ prior).map(_.getInt(2)).sorted
    }
    spark.sql("SELECT id FROM r").collect().toSeq.map(_.get(0))
      .map(id => id.toString -> pairs.getOrElse(id, Nil)).sortBy(_._1)
  }

  private[this] def lastAndAround(key: String, after: String): String =
    s"SELECT o.id, a.n FROM r o, LATERAL (SELECT array_sort(collect_list(q.id)) AS n FROM s q WHERE $key " +
      s"prevailing(o.ts, q.ts, INTERVAL -30 MINUTES, $after)) a"

  private[this] def idsOf(df: DataFrame): Seq[(String, Seq[Int])] =
    df.collect().toSeq.map(row => row.get(0).toString -> row.getSeq[Int](1)).sortBy(_._1)

  test("the row that prevails when an interval begins") {
    val now = "INTERVAL 0 MINUTES"
    for (key <- Seq("q.k = o.k AND", "")) {
      val got = spark.sql(lastAndAround(key, now))
      assert(aggregates(got).size == 1)
      assert(idsOf(got) == prevailing(key, now))
    }
  }

  test(
    "the row that prevails is carried to slices of time, of rows without a key and of hot keys"
  ) {
    Seq("r", "s").foreach(table => spark.table(table).cache().count())
    def hot(key: String, value: String) =
      s"if(q.id % 3 = 0, q.$key, $value) = if(o.id % 3 = 0, o.$key, $value) AND"
    try
      withSettings("spark.sql.shuffle.partitions" -> "7") {
        for {
          (key, i) <-
            Seq("", hot("k", "9"), hot("name", "'hot'"), s"${hot("k", "9")} ${hot("name", "''")}")
              .zipWithIndex
          after <- Sample.turn(Seq("INTERVAL -29 MINUTES", "INTERVAL 3 HOURS"), i)
        } {
          val got = spark.sql(lastAndAround(key, after))
          assert(idsOf(got) == prevailing(key, after), s"$key $after")
          assert(aggregates(got).map(_.description).forall(_.contains("slices of time")), key)
        }
        val several = spark.sql(
          "SELECT o.id, a.n, b.m FROM r o, LATERAL (SELECT array_sort(collect_list(q.id)) AS n FROM s q " +
            "WHERE prevailing(o.ts, q.ts, INTERVAL -30 MINUTES, INTERVAL 1 HOUR)) a, LATERAL (SELECT count(*) AS m " +
            "FROM s q WHERE q.ts BETWEEN o.ts - INTERVAL 2 HOURS AND o.ts - INTERVAL 1 HOUR) b"
        )
        assert(idsOf(several.select("id", "n")) == prevailing("", "INTERVAL 1 HOUR"))
        val counts = "SELECT o.id, count(q.id) FROM r o LEFT JOIN s q ON " +
          "q.ts BETWEEN o.ts - INTERVAL 2 HOURS AND o.ts - INTERVAL 1 HOUR GROUP BY o.id"
        assert(rowsOf(several.select("id", "m")) == plainSpark(rowsOf(spark.sql(counts))))
      }
    finally Seq("r", "s").foreach(table => spark.table(table).unpersist())
  }

  test("prevailing rows where none can be told") {
    for {
      query <- Seq(
        "SELECT * FROM r o JOIN s q ON prevailing(o.ts, q.ts, INTERVAL -1 HOUR)",
        lateral("q.k = o.k OR prevailing(o.ts, q.ts, INTERVAL -1 HOUR)"),
        lateral("prevailing(o.ts, q.ts, INTERVAL -1 HOUR)", numbers),
        lateral(
          "prevailing(o.ts, q.ts, INTERVAL -1 HOUR) AND prevailing(o.tn, q.tn, INTERVAL -1 HOUR)"
        )
      )
    } {
      val raised = intercept[Exception](spark.sql(query).collect())
      assert(raised.getMessage.contains("stands once among the AND-ed conditions"), query)
    }
    val raised = intercept[Exception](spark.sql(lateral("prevailing(o.ts, q.ts)")))
    assert(raised.getMessage.contains("prevailing was given 2 arguments"))
  }

  test("all switched off") {
    withSettings("spark.scalegate.enabled" -> "false") {
      assert(aggregates(spark.sql(lateral(s"q.k = o.k AND ${around.head._2}"))).isEmpty)
    }
  }

  test("EXPLAIN says what is aggregated, and how") {
    val text = executed(spark.sql(lateral(s"q.k = o.k AND ${around.head._2}"))).toString
    assert(text.contains("IntervalAggregate keys: o.k = q.k; window: q.ts - o.ts in"), text)
    assert(text.contains("aggregates: count(1), count(q.i), sum(q.i)"), text)
    assert(text.contains("algorithm: sliding over sorted inputs"), text)
    assert(!text.contains("__scalegate"), text)
  }

  test("the extremes of the types") {
    spark.sql(
      "SELECT * FROM VALUES (1, -9223372036854775808), (2, 9223372036854775807), (3, 0), (4, 9223372036854775800), " +
        "(5, -9223372036854775800), (6, NULL) AS t(id, v)"
    ).createOrReplaceTempView("ends")
    def rows(lower: Int, upper: Int) = rowsOf(spark.sql(
      s"SELECT o.id, a.n FROM ends o, LATERAL (SELECT array_sort(collect_list(q.id)) AS n FROM ends q WHERE " +
        s"q.v BETWEEN o.v + $lower AND o.v + $upper) a"
    ))
    assert(rows(-10, 10) == Seq(
      "[1,ArraySeq(1, 5)]",
      "[2,ArraySeq(2, 4)]",
      "[3,ArraySeq(3)]",
      "[4,ArraySeq(2, 4)]",
      "[5,ArraySeq(1, 5)]",
      "[6,ArraySeq()]"
    ))
    assert(rows(-20, -5) == Seq(
      "[1,ArraySeq()]",
      "[2,ArraySeq(4)]",
      "[3,ArraySeq()]",
      "[4,ArraySeq()]",
      "[5,ArraySeq(1)]",
      "[6,ArraySeq()]"
    ))
  }

  test("dates that wrap around") {
    spark.sql(
      "SELECT id, date_from_unix_date(v) AS d FROM VALUES (1, -2147483648), (2, -2147483647), (3, -2147483646), (4, 0), " +
        "(5, 2147483645), (6, 2147483646), (7, 2147483647) AS t(id, v)"
    ).createOrReplaceTempView("days")
    for ((lower, upper) <- Seq(-1 -> 1, -2 -> -1, -2 -> 0, 0 -> 0, 1 -> 2, 0 -> 2147483647))
      assertAggregates(
        "SELECT o.id, a.* FROM days o, LATERAL (SELECT array_sort(collect_list(q.id)) AS n FROM days q WHERE " +
          s"q.d BETWEEN date_add(o.d, $lower) AND date_add(o.d, $upper)) a"
      )
  }
}
