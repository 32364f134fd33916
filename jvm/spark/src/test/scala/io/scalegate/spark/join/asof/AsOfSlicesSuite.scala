package io.scalegate.spark.join.asof

import io.scalegate.Sample
import io.scalegate.lookup.Direction
import io.scalegate.spark.join.batch.TimeSliceExec

/** As-of joins whose inputs are cut along time, against their definition. With `SCALEGATE_SOAK` times of each type are
  * tried in all directions; otherwise in one, another for each. So are types of join, keys and numbers of rows.
  */
final class AsOfSlicesSuite extends AsOfDefinitions {
  override protected def settings: Map[String, String] =
    Map("spark.sql.shuffle.partitions" -> "7")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    // What is cached may be read twice.
    Seq("r", "s").foreach(table => spark.table(table).cache().count())
  }

  private[this] def hot(key: String, value: String) =
    Seq("l", "q").map(t => s"if($t.id % 3 = 0, $t.$key, $value)").mkString(" = ")

  // All types of join are over timestamps.
  for {
    ((name, time), i) <- times.zipWithIndex if Sample.isSoak || !name.startsWith("timestamps")
    direction <- Sample.turn(Direction.all, i)
  }
    test(s"$name, $direction, without a key") {
      assertSliced(Query(time, direction, keys = "true", exact = time.reach.contains("INTERVAL")))
    }

  for ((direction, i) <- Direction.all.zipWithIndex) {
    test(s"all types of join, and a tolerance, $direction") {
      val times = this.times.head._2
      val (half, others) = if (Sample.isSoak) (hows, hows) else halves(i)
      assertSliced(Query(times, direction, keys = "true"), half)
      assertSliced(Query(times, direction, keys = "true", within = true), others)
    }

    test(s"several rows for each, in all types of join, $direction") {
      for ((most, keys) <- Sample.turn(Seq(2 -> "true", 5 -> hot("k", "9"), 40 -> "true"), i))
        assertSliced(
          Query(times.head._2, direction, keys = keys, most = most),
          Sample.turn(hows, i)
        )
      if (Sample.isSoak || i == 2)
        assertSliced(
          Query(times(3)._2, direction, keys = hot("name", "'hot'"), most = 3),
          Sample.turn(Seq("LEFT ANTI", "LEFT"), i)
        )
      succeed
    }

    test(s"a condition within a tolerance, in all types of join, $direction") {
      val more = "(l.id + q.id) % 3 <> 1"
      for {
        (most, j) <- Seq(1, 3, 70).zipWithIndex if Sample.isSoak || i == j
        keys <- Sample.turn(Seq("true", hot("k", "9"), hot("name", "'hot'")), i + j)
      }
        assertSliced(
          Query(times.head._2, direction, keys = keys, within = true, more = more, most = most),
          Sample.turn(hows, i + j)
        )
      for (time <- Sample.turn(Seq("dates", "integers", "times without a zone"), i))
        assertSliced(
          Query(times.toMap.apply(time), direction, within = true, keys = "true", more = more),
          Sample.turn(hows, 2 * i + 1)
        )
    }

    test(s"keys, some of which are cut, $direction") {
      for (
        keys <- Sample.turn(
          Seq(hot("k", "9"), hot("name", "'hot'"), s"${hot("k", "9")} AND ${hot("name", "''")}"),
          i
        )
      )
        assertSliced(
          Query(times.head._2, direction, keys = keys),
          if (Sample.isSoak) hows else halves(i)._2
        )
    }

    test(s"rows of equal times, on either side of a cut, $direction") {
      for (column <- "k" +: Sample.turn(Seq("d", "i"), i))
        assertSliced(Query(
          Time(
            s"§.$column",
            s"abs(a - b)".replace("a - b", if (column == "d") "datediff(a, b)" else "a - b"),
            "1"
          ),
          direction,
          keys = "true"
        ))
    }
  }

  test("few rows are carried from slice to slice") {
    withSettings(Exchanged :+ ("spark.sql.shuffle.partitions" -> "12"): _*) {
      val df = spark.sql("SELECT l.id, q.id FROM r l JOIN s q ON asof(l.ts, q.ts)")
      df.collect()
      val right = collect(executed(df)) { case s: TimeSliceExec if s.copies.nonEmpty => s }.head
      val slices = right.slices.slices(0)
      assert(slices > 4)
      val carried = right.metrics("carried").value
      assert(carried > 0 && carried <= 2 * slices, "two tasks, a row each for every slice")
    }
  }

  test("a plan that is only looked at says that slices are looked for when the query runs") {
    withSettings(Exchanged: _*) {
      val query = "SELECT l.id FROM r l JOIN s q ON asof(l.ts, q.ts)"
      def explained = spark.sql(s"EXPLAIN $query").head().getString(0)
      assert(explained.contains("or in slices of time that are looked for when the query runs"))
      withSettings("spark.scalegate.join.sampleRows" -> "0") {
        assert(explained.contains("in one task, for there is no key"))
      }
    }
  }

  test("nothing is cut where nothing may be read for the plan") {
    withSettings(Exchanged :+ ("spark.scalegate.join.sampleRows" -> "0"): _*) {
      val df = spark.sql("SELECT l.id FROM r l JOIN s q ON asof(l.ts, q.ts)")
      assert(df.collect().nonEmpty)
      assert(windowJoins(df).head.description.contains("in one task"))
    }
  }

  private[this] def describedAndRows(query: String): (String, Seq[String]) = {
    val df = spark.sql(query)
    val rows = rowsOf(df)
    (windowJoins(df).head.description, rows)
  }

  private val derived = Seq(
    "an aggregate" -> "(SELECT max(id) AS id, ts, 1 AS x FROM s GROUP BY ts)",
    "an aggregate's function" -> "(SELECT max(id) AS id, min(ts) AS ts, 1 AS x FROM s GROUP BY k, name)",
    "a join" -> "(SELECT s.id, s.ts, s.x FROM s JOIN (SELECT DISTINCT k FROM r WHERE k > 1) n ON s.k = n.k)",
    "a union" -> "(SELECT id, ts, x FROM s UNION ALL SELECT id + 1000, ts + INTERVAL 1 MINUTE, x FROM r)",
    "the first of each key" -> "(SELECT id, ts, x FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY id) AS n FROM s) WHERE n < 4)",
    "the next one's time" -> "(SELECT id, lead(ts) OVER (PARTITION BY k ORDER BY id) AS ts, x FROM s)",
    "rows made of an array" -> "(SELECT id, t AS ts, x FROM s LATERAL VIEW explode(array(ts, ts + INTERVAL 1 HOUR)) AS t)",
    "an as-of join" -> "(SELECT a.id, a.ts, b.x FROM s a LEFT JOIN r b ON asof(a.ts, b.ts, 'backward', NULL, true, b.id))",
    "windows" -> "(SELECT max(id) AS id, window.end AS ts, 1 AS x FROM s GROUP BY window(ts, '2 hours', '1 hour'))",
    "distinct rows" -> "(SELECT DISTINCT id, ts, x FROM s)"
  )

  for ((name, right) <- derived)
    test(s"rows without a key that are $name are cut where the table's times lie") {
      val query =
        s"SELECT l.id, q.id FROM (SELECT r.* FROM r JOIN (SELECT DISTINCT name FROM r) n " +
          s"ON r.name <=> n.name) l LEFT JOIN $right q ON asof(l.ts, q.ts, 'backward', NULL, true, q.id)"
      withSettings(Exchanged: _*) {
        val (cut, rows) = describedAndRows(query)
        assert(cut.contains("slices of time, for there is no key"))
        withSettings("spark.scalegate.join.sampleRows" -> "0") {
          val (whole, expected) = describedAndRows(query)
          assert(whole.contains("in one task") && rows == expected)
        }
      }
    }

  test("a key that is frequent in the table that an input's rows come from is cut") {
    val left = "(SELECT r.* FROM r JOIN (SELECT DISTINCT name FROM r) n ON r.name <=> n.name)"
    val right =
      "(SELECT id, ts, k FROM s WHERE id % 2 = 0 UNION ALL SELECT id + 1000, ts, k FROM s)"
    val query = s"SELECT l.id, q.id FROM $left l LEFT JOIN $right q ON ${hot("k", "9")} AND " +
      "asof(l.ts, q.ts, 'backward', NULL, true, q.id)"
    withSettings(Exchanged: _*) {
      val (cut, rows) = describedAndRows(query)
      assert(cut.contains("slices of time of 1 hot key"))
      withSettings("spark.scalegate.join.sampleRows" -> "0") {
        val (whole, expected) = describedAndRows(query)
        assert(!whole.contains("slices") && rows == expected)
      }
    }
  }

  test("a time that cannot be evaluated, of a row that a join leaves out, fails no query") {
    val texts = "(SELECT id, if(id % 7 = 3, 'never', CAST(ts AS STRING)) AS text FROM r)"
    val left = s"(SELECT a.id, CAST(a.text AS TIMESTAMP) AS ts FROM $texts a " +
      "JOIN (SELECT DISTINCT id - id % 7 AS id FROM s) b ON a.id = b.id)"
    val query =
      s"SELECT l.id, q.id FROM $left l LEFT JOIN s q ON asof(l.ts, q.ts, 'backward', NULL, true, q.id)"
    withSettings(Exchanged: _*) {
      val rows = describedAndRows(query)._2
      withSettings("spark.scalegate.join.sampleRows" -> "0") {
        val expected = describedAndRows(query)._2
        assert(expected.nonEmpty && rows == expected)
      }
    }
  }

  test("what may be far from a left row, or has times of several inputs, is in one task or few") {
    def description(query: String) = withSettings(Exchanged: _*)(describedAndRows(query)._1)
    val one = "in one task, for there is no key"
    assert(description(
      "SELECT l.id FROM r l JOIN (SELECT s.id, greatest(s.ts, t.ts) AS ts FROM s JOIN r t ON s.id = t.id) q " +
        "ON asof(l.ts, q.ts)"
    ).contains(one))
    assert(
      description("SELECT l.id FROM r l JOIN s q ON asof(l.ts, q.ts) AND q.x > l.x").contains(one)
    )
    assert(description("SELECT l.id FROM r l JOIN s q ON nearest(l.ts, q.ts, 65)").contains(one))
    val all = "asof(l.ts, q.ts, 'backward', INTERVAL 4000000 DAYS)"
    assert(
      description(s"SELECT l.id FROM r l JOIN s q ON $all AND q.x > l.x").contains(" 3 slices")
    )
  }
}
