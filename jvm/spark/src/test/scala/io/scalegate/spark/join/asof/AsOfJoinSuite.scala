package io.scalegate.spark.join.asof

import org.apache.spark.sql.DataFrame
import org.scalatest.Assertion

import io.scalegate.Sample
import io.scalegate.lookup.Direction
import io.scalegate.spark.join.explain.JoinReport

/** As-of joins against their definition in plain SQL. With `SCALEGATE_SOAK` times of each type are tried in all
  * directions, and all types of join by both ways to run them; otherwise each comes up with another of the others, and
  * most types of times within a tolerance alone: [[AsOfSlicesSuite]] tries them without one.
  */
final class AsOfJoinSuite extends AsOfDefinitions {
  for ((direction, i) <- Direction.all.zipWithIndex)
    test(s"all types of join, $direction") {
      val all = Query(times.head._2, direction)
      val some = Query(times.head._2, direction, within = true, more = "q.x > l.x")
      if (Sample.isSoak) Seq(all, some).foreach(assertBoth(_, hows))
      else {
        val (half, others) = halves(i)
        assertBroadcast(all, half)
        assertExchanged(some, others)
      }
    }

  private val whole = Seq("timestamps", "doubles")

  for {
    ((name, time), i) <- times.zipWithIndex
    direction <- if (whole.contains(name)) Direction.all else Sample.turn(Direction.all, i)
  }
    test(s"$name, $direction") {
      val near = Query(time, direction, within = true)
      if (Sample.isSoak) assertBroadcast(Query(time, direction))
      if (Sample.isSoak || whole.contains(name) || i % 2 == 1) assertExchanged(near)
      else assertBroadcast(near)
      if (whole.contains(name))
        assertBroadcast(Query(time, direction, exact = false, within = Sample.isSoak))
    }

  test("a tolerance of whole days where days have 23 hours") {
    withSettings("spark.sql.session.timeZone" -> "America/New_York") {
      for {
        (direction, i) <- Direction.all.zipWithIndex
        isBroadcast <- Sample.turn(Seq(true, false), i)
      } {
        val query = Query(times(1)._2, direction, within = true)
        if (isBroadcast) assertBroadcast(query) else assertExchanged(query)
      }
    }
  }

  private val ts = times.head._2

  for ((direction, i) <- Direction.all.zipWithIndex) {
    test(s"other conditions hold before a row is chosen, $direction") {
      for (isBroadcast <- Sample.turn(Seq(true, false), i))
        if (isBroadcast) assertBroadcast(Query(ts, direction, more = "q.i > l.i AND l.x > 3"))
        else assertExchanged(Query(ts, direction, more = "q.x > 3 AND l.name <> q.name"))
    }

    test(s"several rows, $direction") {
      for (most <- Sample.turn(Seq(2, 1000, 7), i)) {
        if (Sample.isSoak || i != 0) assertBroadcast(Query(ts, direction, most = most))
        if (Sample.isSoak || i != 1)
          assertExchanged(Query(times(4)._2, direction, most = most, more = "q.x > l.x"))
      }
    }

    test(s"without a key, $direction") {
      for (within <- Sample.turn(Seq(true, false), i))
        assertBoth(Query(ts, direction, keys = "true", within = within))
    }
  }

  test("keys of any type") {
    for {
      keys <- Seq(
        "l.name = q.name",
        "l.k = q.k AND l.name = q.name",
        "l.x = q.x",
        "l.k = CAST(q.k AS DOUBLE)",
        "(l.name COLLATE UTF8_LCASE) = (upper(q.name) COLLATE UTF8_LCASE)",
        "l.k <=> q.k"
      )
    } assertExchanged(Query(ts, Direction.Nearest, keys = keys))
  }

  test("rows of one time are told apart by the ties, and then by their columns") {
    spark.sql(
      "SELECT * FROM VALUES (1, 10, 'a', 1), (1, 10, 'b', 3), (1, 10, 'b', 2), (2, 10, NULL, 5), (2, 10, 'z', 4) " +
        "AS t(k, t, version, n)"
    ).createOrReplaceTempView("versions")
    def chosen(direction: String, ties: String) = rowsOf(spark.sql(
      "SELECT l.k, q.version, q.n FROM VALUES (1, 10), (2, 10) AS l(k, t) JOIN versions q " +
        s"ON l.k = q.k AND asof(l.t, q.t, '$direction', NULL, true$ties)"
    ))
    val expected = Seq(
      ("backward", ", q.version", Seq("[1,b,3]", "[2,z,4]")),
      ("backward", ", q.version, -q.n", Seq("[1,b,2]", "[2,z,4]")),
      ("forward", ", q.version", Seq("[1,a,1]", "[2,null,5]")),
      ("backward", "", Seq("[1,b,3]", "[2,z,4]")),
      ("nearest", ", -q.n", Seq("[1,a,1]", "[2,z,4]")),
      ("backward", ", q.version, q.n", Seq("[1,b,3]", "[2,z,4]"))
    )
    for {
      ((direction, ties, rows), i) <- expected.zipWithIndex
      more <- Sample.turn(Seq(Nil, Exchanged), i)
    } withSettings(more: _*)(assert(chosen(direction, ties) == rows, direction + ties))
  }

  test("the same rows come however the right side's lie, with ties") {
    def rows(order: String) = rowsOf(spark.sql(
      "SELECT l.id, q.id, q.name FROM r l JOIN " +
        s"(SELECT id, name, date_trunc('DAY', ts) AS day FROM s DISTRIBUTE BY $order SORT BY $order) q " +
        "ON asof(l.ts, q.day)"
    ))
    val all = for {
      settings <- Seq(Nil, Exchanged)
      order <- Seq("id", "-id", "hash(id)")
      if Sample.isSoak || settings.isEmpty != (order == "-id")
    } yield withSettings(settings: _*)(rows(order))
    assert(all.distinct.size == 1)
  }

  test("filters above keep their meaning, and those of left columns move below") {
    val query = "SELECT l.id AS lid, l.k AS lk, q.id AS qid, q.x AS qx FROM r l JOIN s q " +
      "ON l.k = q.k AND asof(l.ts, q.ts, 'backward', NULL, true, q.id)"
    val all = spark.sql(query).collect().toSeq
    def kept(where: String) = spark.sql(s"SELECT * FROM ($query) WHERE $where")
    def isBelow(df: DataFrame) =
      df.asInstanceOf[org.apache.spark.sql.classic.DataFrame].queryExecution.optimizedPlan.collect {
        case join: AsOfJoin => join.left.toString.contains("Filter")
      } == Seq(true)
    val rare = kept("qx > 10")
    assert(rowsOf(rare) == all.filter(r =>
      !r.isNullAt(3) && {
        val x = r.getDouble(3)
        x > 10 || x.isNaN
      }
    ).map(_.toString).sorted)
    val ofLeft = kept("lk = 2")
    assert(rowsOf(ofLeft) == all.filter(_.get(1) == 2).map(_.toString).sorted)
    assert(isBelow(ofLeft))
  }

  test("EXPLAIN and the report say what is joined, and how") {
    val df = spark.sql(
      "SELECT l.id FROM r l LEFT JOIN s q ON l.k = q.k AND asof(l.ts, q.ts, 'backward', INTERVAL 5 SECONDS) AND q.x < l.x"
    )
    val text = executed(df).toString
    assert(text.contains("keys: l.k = q.k"))
    assert(text.contains("as of: last q.ts <= l.ts, (q.ts >= l.ts "))
    assert(text.contains("residual: (q.x < l.x)"))
    assert(text.contains("index over the right side's partitions (it has an unknown size)"))
    assert(JoinReport.lines(df).head.startsWith("LEFT OUTER as-of join, last q.ts <= l.ts"))
    assert(JoinReport.lines(df).head.endsWith("run by scalegate"))
  }

  test("an as-of join in a subquery, over an aggregate and below another join") {
    val inner =
      "SELECT l.id AS lid, q.id AS qid FROM r l JOIN (SELECT max(id) AS id, k, ts FROM s GROUP BY k, ts) q " +
        "ON l.k = q.k AND asof(l.ts, q.ts)"
    val pairs = rowsOf(spark.sql(inner))
    val through =
      spark.sql(
        s"SELECT lid, qid FROM r JOIN ($inner) ON id = lid WHERE id >= (SELECT min(lid) FROM ($inner))"
      )
    assert(rowsOf(through) == pairs)
    assert(spark.sql(s"SELECT count(*) FROM ($inner)").head().getLong(0) == pairs.size.toLong)
    assert(rowsOf(spark.sql(s"SELECT * FROM ($inner) ORDER BY lid LIMIT 3")).size == 3)
  }

  test("an as-of join in a subquery may be asked for the outer row's, but not depend on it") {
    val inner = "SELECT q.id FROM s l JOIN r q ON l.k = q.k AND asof(l.ts, q.ts)"
    val all =
      "SELECT l.id AS lid, q.id AS qid FROM s l JOIN r q ON l.k = q.k AND asof(l.ts, q.ts)"
    assert(
      rowsOf(spark.sql(s"SELECT id FROM r WHERE id IN ($inner WHERE l.id <= r.id + 5)")) ==
        rowsOf(spark.sql(s"SELECT DISTINCT id FROM r JOIN ($all) ON id = qid AND lid <= id + 5"))
    )
    for (
      sub <- Seq(
        s"$inner AND q.l < r.l",
        "SELECT q.id FROM (SELECT * FROM s WHERE s.k = r.k) l JOIN r q ON asof(l.ts, q.ts)"
      )
    ) {
      refused(
        s"SELECT id FROM r WHERE EXISTS ($sub)",
        "an as-of join stands in a subquery in which",
        "r."
      )
      refused(
        s"SELECT id FROM r WHERE EXISTS ($sub)".replace(
          "asof(l.ts, q.ts)",
          "within_rows(l.ts, q.ts, 1)"
        ),
        "within_rows stands in a subquery in which"
      )
    }
  }

  private def refused(sql: String, parts: String*): Assertion = {
    val e = intercept[Exception](spark.sql(sql).collect())
    val messages = causes(e).flatMap(x => Option(x.getMessage)).mkString("\n")
    parts.foreach(part => assert(messages.contains(part), sql))
    succeed
  }

  test("what cannot be run is refused, with what to write instead") {
    def asOf(more: String) = s"SELECT l.id FROM r l JOIN s q ON asof(l.ts, q.ts$more)"
    refused(asOf(", 'back'"), "'backward' or 'forward' or 'nearest'", "back")
    def hinted(how: String) =
      asOf("").replace("SELECT", s"SELECT /*+ WINDOW_JOIN(l, q, '$how') */")
    refused(hinted("matrix"), "WINDOW_JOIN('matrix') cannot run this join", "by its inputs alone")
    refused(hinted("pim"), "WINDOW_JOIN('pim') cannot run this join", "by its inputs alone")
    refused(hinted("ordered"), "with ORDER BY")
    refused(asOf(", 'backward', INTERVAL '-5' SECOND"), "at least zero")
    refused(asOf(", 'backward', q.ts - l.ts"), "a constant of at least zero")
    refused(asOf(", 'backward', NULL, 'yes'"), "true or false")
    refused(asOf(", 'backward', NULL, true, l.id"), "columns of the right side", "l.id")
    refused("SELECT l.id FROM r l JOIN s q ON asof(l.ts)", "was given 1 arguments")
    refused("SELECT l.id FROM r l JOIN s q ON nearest(l.ts, q.ts, 0)", "from 1 to 100000")
    refused("SELECT l.id FROM r l JOIN s q ON nearest(l.ts, q.ts, l.i)", "from 1 to 100000")
    refused("SELECT l.id FROM r l JOIN s q ON asof(q.ts, l.ts)", "Swap them, or the sides")
    refused("SELECT l.id FROM r l JOIN s q ON asof(l.name, q.name)", "of one kind", "Cast them")
    refused(
      "SELECT l.id FROM r l RIGHT JOIN s q ON asof(l.ts, q.ts)",
      "Swap the sides of a right join"
    )
    refused("SELECT l.id FROM r l FULL JOIN s q ON asof(l.ts, q.ts)", "a full outer join")
    refused(
      "SELECT l.id FROM r l JOIN s q ON NOT asof(l.ts, q.ts)",
      "once among the AND-ed conditions"
    )
    refused(
      "SELECT l.id FROM r l, s q WHERE asof(l.ts, q.ts)",
      "once among the AND-ed conditions"
    )
    refused(
      "SELECT l.id FROM r l JOIN s q ON asof(l.ts, q.ts) AND asof(l.d, q.d)",
      "once among the AND-ed conditions"
    )
    refused(
      "SELECT l.id FROM r l JOIN s q ON asof(l.ts, q.ts) AND q.id IN (SELECT id FROM r)",
      "Join with that query first"
    )
    refused("SELECT asof(7L, 8L)", "once among the AND-ed conditions")
    refused(
      "SELECT * FROM r WHERE asof(TIMESTAMP'2024-01-01', TIMESTAMP'2024-01-02')",
      "once among the AND-ed conditions"
    )
    // Spark plans a filter together with the file that it reads.
    val path = newDirectory().resolve("filed").toString
    spark.table("r").select("k", "ts").write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("filed")
    for {
      (marker, where) <- Seq(
        "asof(ts, ts)" -> "among the AND-ed conditions of a join",
        "within_rows(ts, ts, 2)" -> "must be one of the AND-ed conditions of a join",
        "prevailing(TIMESTAMP'1970-01-01', ts, INTERVAL -5 SECONDS)" -> "among the AND-ed conditions of a lateral"
      )
      query <- Seq("count(*) FROM filed WHERE ", "k, count(*) FROM filed WHERE k > 1 AND ")
    } refused(s"SELECT $query$marker" + (if (query.startsWith("k")) " GROUP BY k" else ""), where)
    plainSpark(refused(asOf(""), "spark.scalegate.enabled"))
  }
}
