package io.scalegate.spark

/** More rows in a window than the task has memory for. */
final class MemorySuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] =
    Map(
      "spark.testing.memory" -> (40L << 20).toString,
      "spark.testing.reservedMemory" -> "0",
      "spark.sql.autoBroadcastJoinThreshold" -> "-1"
    )

  test("a window that does not fit ends the query with an error that says what to change") {
    val wide =
      "SELECT id, id AS ts, repeat(char(97 + id % 26), 1000) AS pad FROM range(0, 60000, 1, 2)"
    val e = intercept[Exception] {
      spark
        .sql(
          s"SELECT count(a.pad), count(b.pad) FROM ($wide) a JOIN ($wide) b " +
            "ON a.id % 2 = b.id % 2 AND abs(a.ts - b.ts) <= 100000 AND a.pad > b.pad"
        )
        .collect()
    }
    val messages = causes(e).map(_.getMessage)
    assert(messages.exists(_.contains("the rows of one window do not fit in the task's memory")))
  }

  test("more rows than memory in all, with windows that fit, are joined") {
    val wide = "SELECT id, repeat(char(97 + id % 26), 1000) AS pad FROM range(0, 60000, 1, 2)"
    val df = spark.sql(
      s"SELECT count(a.pad) FROM ($wide) a JOIN ($wide) b ON abs(a.id - b.id) <= 1"
    )
    assert(df.head().getLong(0) == 3 * 60000 - 2)
  }

  test("a matrix's cell that does not fit is read from disk, and the rows are the same") {
    val wide = "SELECT id, repeat(char(97 + id % 26), 1000) AS pad FROM range(0, 60000, 1, 2)"
    // By its statistics, which do not see the filter, the side with few rows is the larger one.
    val few = "SELECT id FROM range(0, 400000, 1, 1) WHERE id % 15000 = 0"
    for {
      (joinType, rows) <-
        Seq("" -> 149996, "LEFT" -> (149996 + 23), "LEFT SEMI" -> 4, "LEFT ANTI" -> 23)
    } {
      val df = spark.sql(
        s"SELECT /*+ WINDOW_JOIN('matrix', '2x1') */ a.id FROM ($few) a $joinType JOIN ($wide) b " +
          "ON a.id < b.id AND b.pad > cast(a.id AS STRING)"
      )
      assert(df.collect().length == rows)
      assert(windowJoins(df).head.metrics("spilledTasks").value == 2)
    }
  }

  test("intervals that do not fit are read from disk, and the rows are the same") {
    val wide = "SELECT id, id % 3 AS k, repeat(char(97 + id % 26), 1000) AS pad " +
      "FROM range(0, 60000, 1, 2)"
    val few = "SELECT id, id % 3 AS k FROM range(0, 400000, 1, 1) WHERE id % 15000 = 0"
    for ((joinType, rows) <- Seq("" -> 4, "LEFT" -> 27, "LEFT ANTI" -> 23)) {
      val df = spark.sql(
        s"SELECT /*+ WINDOW_JOIN('index') */ a.id FROM ($few) a $joinType JOIN ($wide) b " +
          "ON a.k = b.k AND a.id BETWEEN b.id AND b.id + b.k AND b.pad > cast(a.id AS STRING)"
      )
      // Once it has seen the rows, adaptive execution would hold the few.
      withSettings("spark.sql.adaptive.enabled" -> "false")(assert(df.collect().length == rows))
      assert(windowJoins(df).head.metrics("spilledTasks").value > 0)
    }
  }

  test("an index that does not fit gives way to a sort, and the rows are the same") {
    val wide = "SELECT id, id % 3 AS k, if(id % 50 = 0, NULL, id) AS t, " +
      "repeat(char(97 + id % 26), 1000) AS pad FROM range(0, 60000, 1, 2)"
    for ((joinType, rows) <- Seq("" -> 58800L, "LEFT" -> 60000L, "LEFT ANTI" -> 1200L)) {
      val df = spark.sql(
        s"SELECT /*+ WINDOW_JOIN('index') */ a.pad FROM ($wide) a $joinType JOIN ($wide) b " +
          "ON a.k = b.k AND abs(a.t - b.t) <= 1 AND a.pad <> concat(b.pad, 'x')"
      )
      assert(df.count() == rows)
      df.collect()
      assert(windowJoins(df).head.metrics("sortedTasks").value > 0)
    }
  }
}
