package io.scalegate.spark.join.stream

import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentSkipListMap

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{Dataset, Row}

/** Streaming joins that start again from their checkpoints: whatever one batch's plan looks like beside another's, and
  * whatever spells the same query.
  */
final class StreamingRestartSuite extends StreamingJoinSuite {
  private val near = "BETWEEN a.ts - INTERVAL 1 SECOND AND a.ts + INTERVAL 1 SECOND"
  private val renamed = "(SELECT ts AS rts, k AS rk, x + 0 AS rx, id AS rid FROM r)"

  /** The same join, with names given in views, in frames, and not at all. */
  private def spelled(how: String): Seq[String] = {
    val half = how.endsWith("SEMI") || how.endsWith("ANTI")
    def asks(left: String, right: String) = if (half) left else s"$left, $right"
    Seq(
      s"SELECT ${asks("a.id", "b.rid")} FROM l a $how JOIN $renamed b ON a.k = b.rk AND b.rts $near",
      s"SELECT ${asks("lid", "rid")} FROM (SELECT ts AS lts, k AS lk, id AS lid FROM l) $how JOIN " +
        s"$renamed ON lk = rk AND rts ${near.replace("a.", "l")} AND rx + lk <> 77",
      s"SELECT ${asks("a.id", "r.id")} FROM (SELECT *, 1 AS one FROM l) a $how JOIN " +
        s"(SELECT *, 1 AS one FROM r) r ON a.one = r.one AND r.ts $near AND a.k = r.k",
      s"SELECT ${asks("a.id", "b.rid")} FROM l a $how JOIN $renamed b ON b.rts $near AND " +
        "abs(a.x - b.rx) <= 1",
      s"SELECT ${asks("a.id", "c.id")} FROM (SELECT upper(concat('k', k)) AS u, ts, id FROM l) a $how " +
        s"JOIN (SELECT concat('K', k) AS u, * FROM r) c ON a.u = c.u AND c.ts $near"
    )
  }

  private def eventsFrom(random: Random, seconds: Double): Seq[Event] =
    Seq.fill(1 + random.nextInt(4))(
      at(seconds + random.nextInt(20) / 10.0, random.nextLong(1000), x = random.nextInt(4))
        .copy(k = Some(random.nextInt(3)))
    )

  /** Two streams of files, read to their end each time that a query is started. */
  private class FileStreams {
    private val root = newDirectory()
    private val written = new ConcurrentSkipListMap[Long, Seq[String]]
    private var files = 0
    Seq("l", "r").foreach(side => Files.createDirectory(root.resolve(side)))

    def add(side: String, events: Seq[Event]): Unit = {
      files += 1
      val lines = events.map { e =>
        s"""{"ts": "${e.ts.toInstant}", "k": ${e.k.get}, "x": ${e.x.get}, "id": ${e.id}}"""
      }
      Files.write(root.resolve(side).resolve(f"$files%05d.json"), lines.asJava)
      ()
    }

    def run(query: String): Unit = {
      for (side <- Seq("l", "r"))
        spark.readStream.schema("ts TIMESTAMP, k INT, x INT, id BIGINT")
          .json(root.resolve(side).toString)
          .withWatermark("ts", "2 seconds").createOrReplaceTempView(side)
      spark.sql(query).writeStream
        .option("checkpointLocation", root.resolve("checkpoint").toString)
        .trigger(Trigger.AvailableNow())
        .foreachBatch { (rows: Dataset[Row], id: Long) =>
          written.put(id, rows.collect().map(_.toString).toSeq)
          ()
        }
        .start().awaitTermination()
    }

    def rows: Seq[String] = written.values.asScala.flatten.toSeq.sorted
  }

  private val random = new Random(seeded(5L))

  private val types = Seq("INNER", "LEFT", "FULL", "LEFT SEMI", "RIGHT", "LEFT ANTI")

  for ((how, i) <- types.zipWithIndex if isSoak || i % 2 == 1)
    test(
      s"a $how join starts again when one side has new rows, or none has, whatever spells it"
    ) {
      val all = spelled(how)
      val query = all((if (isSoak) random.nextInt(all.size) else i) % all.size)
      val streams = new FileStreams
      var (l, r) = (Seq.empty[Event], Seq.empty[Event])
      for (round <- 0 until (if (isSoak) 8 else 3)) {
        val side = random.nextInt(4)
        val (ofL, ofR) =
          (eventsFrom(random, 10.0 + 2 * round), eventsFrom(random, 10.0 + 2 * round))
        if (side != 1) { l ++= ofL; streams.add("l", ofL) }
        if (side != 0) { r ++= ofR; streams.add("r", ofR) }
        streams.run(query)
        if (round == 1) streams.run(query)
      }
      // Spark begins anew to ask each stream for its watermark when a query starts: here both have rows.
      for (time <- Seq(900.0, 950.0)) {
        streams.add("l", Seq(at(time, -1, x = 99)))
        streams.add("r", Seq(at(time, -1, x = -99)))
        streams.run(query)
      }
      assert(streams.rows.filterNot(_.contains("-1")) == batchResult(query, l, r), query)
    }

  test("a join whose bound is of days goes on in another time zone") {
    val query = "SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON l.k = r.k AND " +
      "r.ts BETWEEN l.ts AND l.ts + INTERVAL 1 DAY AND l.x < r.x"
    val run = new Running(query).start()
    try {
      run.add(Seq(at(10, 1, x = 1)), Nil)
      run.stop()
      withSettings("spark.sql.session.timeZone" -> "America/New_York") {
        run.start().add(Nil, Seq(at(20, 100)))
        assert(run.all == Seq("[1,100]"))
      }
    } finally run.stop()
  }

  private def termsOf(run: Running): Path = run.checkpoint.resolve("state/0/_scalegate/join")

  private def rewrite(file: Path, text: String): Unit = {
    Files.writeString(file, text)
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    ()
  }

  private val older = Seq(
    s"SELECT a.id, b.rid FROM l a LEFT JOIN $renamed b ON a.k = b.rk AND b.rts $near AND a.x < b.rx" ->
      """format = 1
        |join = LeftOuter
        |left = ts TIMESTAMP, k INT, x INT, id BIGINT
        |right = rts TIMESTAMP, rk INT, rx INT, rid BIGINT
        |condition = keys: k = b.rk; window: rts - a.ts in [-1000000, 1000000]; residual: (a.x < rx); algorithm: index over both windows
        |""".stripMargin,
    s"SELECT a.id, b.rid FROM l a JOIN $renamed b ON b.rts $near AND abs(a.x - b.rx) <= 1" ->
      """format = 1
        |join = Inner
        |left = ts TIMESTAMP, x INT, id BIGINT, __scalegate_cell BIGINT
        |right = rts TIMESTAMP, rx INT, rid BIGINT, __scalegate_cell BIGINT
        |condition = window: b.rts - ts in [-1000000, 1000000]; bands: b.rx - a.x in [-1, 1]; algorithm: index over both windows in cells along rx
        |""".stripMargin,
    "SELECT l.id, r.id FROM l LEFT JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL 1 DAY" ->
      """format = 1
        |join = LeftOuter
        |left = ts TIMESTAMP, k INT, id BIGINT
        |right = ts TIMESTAMP, k INT, id BIGINT
        |condition = keys: l.k = r.k; window: r.ts - l.ts in [-3600000000, 90000000000]; residual: ((r.ts >= l.ts) AND (r.ts <= l.ts + INTERVAL '1' DAY)); algorithm: index over both windows
        |""".stripMargin,
    "SELECT l.id, r.id FROM (SELECT ts, k, id FROM l) l FULL JOIN (SELECT ts, k, id FROM r) r " +
      "ON within_rows(l.ts, r.ts, 9) AND l.k = r.k" ->
      """format = 1
        |join = FullOuter
        |left = ts TIMESTAMP, k INT, id BIGINT
        |right = ts TIMESTAMP, k INT, id BIGINT
        |condition = keys: k = r.k; window: last 9 rows by l.ts, ts; algorithm: index over both windows in one task, in order
        |""".stripMargin
  )

  test(
    "terms that an older version wrote are those of the same join, whatever names it gave columns"
  ) {
    for ((query, terms) <- older) {
      val run = new Running(query).start()
      try {
        run.add(Seq(at(10, 1, x = 4)), Nil).stop()
        rewrite(termsOf(run), terms)
        run.start().add(Nil, Seq(at(10, 100)))
        run.stop().start().add(Seq(at(500, 2)), Seq(at(500, 101)))
        run.add(Seq(at(200000, 2)), Seq(at(200000, 101)))
        assert(run.all.count(_ == "[1,100]") == 1, query)
      } finally run.stop()
    }
  }

  test("a window of rows whose checkpoint has only what was read is refused, with both lists") {
    val (selected, terms) = older.last
    val run = new Running(selected.replace("(SELECT ts, k, id FROM l) ", "")
      .replace("(SELECT ts, k, id FROM r) ", "")).start()
    try {
      run.add(Seq(at(10, 1)), Nil).stop()
      rewrite(termsOf(run), terms)
      val message = run.start().fails(Nil, Seq(at(10, 100))).getMessage
      assert(message.contains(
        "left was [ts TIMESTAMP, k INT, id BIGINT] and is [ts TIMESTAMP, k INT, x INT, id"
      ))
    } finally run.stop()
  }

  test("terms that an older version wrote of another join are refused, with what differs") {
    val (query, terms) = older.head
    for (
      (was, before) <- Seq(
        ("condition was [", terms.replace("[-1000000, 1000000]", "[-1000000, 2000000]")),
        ("condition was [", terms.replace("(a.x < rx)", "(a.x < rid)")),
        ("condition was [", terms.replace("k = b.rk", "x = b.rk")),
        (
          "left was [",
          terms.replace("left = ts TIMESTAMP, k INT, x INT", "left = ts TIMESTAMP, k INT")
        ),
        ("join was [", terms.replace("LeftOuter", "FullOuter"))
      )
    ) {
      val run = new Running(query).start()
      try {
        run.add(Seq(at(10, 1)), Nil).stop()
        rewrite(termsOf(run), before)
        val message = run.start().fails(Nil, Seq(at(10, 100))).getMessage
        assert(message.contains(was) && message.contains("Start with a new checkpoint"), message)
      } finally run.stop()
    }
  }

  test("terms name no qualifier, no time zone and no alias of a relation") {
    def written(query: String) = {
      val run = new Running(query).start()
      try Files.readString(termsOf(run.add(Seq(at(10, 1)), Seq(at(10, 2)))))
      finally run.stop()
    }
    val one = written(
      "SELECT l.id, r.id FROM l JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL 1 DAY " +
        "AND l.x < r.x AND (l.x = 1 OR r.x > 5)"
    )
    val other = withSettings("spark.sql.session.timeZone" -> "America/New_York") {
      written(
        "SELECT b.ID, `a`.id FROM l b, r AS `a` WHERE (5 < a.X OR 1 = b.x) AND a.X > b.x AND a.`k` = b.K " +
          "AND a.TS >= b.ts AND b.ts + INTERVAL 1 DAY >= a.ts"
      )
    }
    assert(one.contains("terms = 2") && one == other)
  }
}
