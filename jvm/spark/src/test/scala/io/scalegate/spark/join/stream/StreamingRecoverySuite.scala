package io.scalegate.spark.join.stream

import java.nio.file.Files

import org.apache.spark.sql.scalegate.TestStreams
import org.apache.spark.sql.scalegate.TestStreams.FileContextBasedCheckpointFileManager
import org.apache.spark.sql.streaming.StreamingQueryException

import io.scalegate.spark.join.stream.state.StateReader
import io.scalegate.spark.settings.ScaleGateConf

/** What a streaming join keeps and gives when it is stopped, fails, and starts again. */
final class StreamingRecoverySuite extends StreamingJoinSuite {

  /** Spark's default, which takes most of a batch's time, and which most do without. */
  private val DefaultFiles = "spark.sql.streaming.checkpointFileManagerClass" ->
    classOf[FileContextBasedCheckpointFileManager].getName

  private val pairs = Seq(Seq("[1,100]"), Seq("[3,102]"), Seq("[4,103]"))
  private val loneLeft = Seq(Nil, Nil, Seq("[2,null]"))
  private val loneRight = Seq(Nil, Seq("[null,101]"), Nil)

  for (
    (joinType, wanted) <- Seq(
      "INNER" -> pairs,
      "LEFT" -> pairs.lazyZip(loneLeft).map(_ ++ _),
      "RIGHT" -> pairs.lazyZip(loneRight).map(_ ++ _),
      "FULL" -> pairs.lazyZip(loneLeft).map(_ ++ _).lazyZip(loneRight).map(_ ++ _),
      "LEFT SEMI" -> Seq(Seq("[1]"), Seq("[3]"), Seq("[4]")),
      "LEFT ANTI" -> Seq(Nil, Nil, Seq("[2]"))
    )
  )
    test(
      s"$joinType join: a pair at once, an unmatched row when the watermark has passed its window"
    ) {
      val typed = query.replace("LEFT JOIN", s"$joinType JOIN")
      val isHalf = wanted.flatten.forall(!_.contains(","))
      val run = new Running(if (isHalf) typed.replace(", r.id AS b", "") else typed).start()
      try {
        run.add(Seq(at(10, 1), at(10.5, 2, x = 50)), Seq(at(10.2, 100), at(10.4, 101, x = 90)))
        assert(run.fresh() == wanted(0).sorted)
        run.add(Seq(at(11.4, 3)), Seq(at(11.4, 102)))
        assert(run.fresh() == wanted(1).sorted)
        run.stop().start()
        run.add(Seq(at(11.6, 4, x = 50)), Seq(at(11.6, 103, x = 50)))
        assert(run.fresh() == wanted(2).sorted)
      } finally run.stop()
    }

  test("rows that are later than the watermark of the batch before are dropped and counted") {
    val run = new Running(query, delay = "2 seconds").start()
    try {
      run.add(Seq(at(20, 1)), Seq(at(20, 100)))
      run.add(Seq(at(18, 2), at(18.1, 3)), Seq(at(17, 101), at(18.2, 102)))
      assert(run.fresh() == Seq("[1,100]", "[3,102]"))
      assert(run.dropped == 2)
    } finally run.stop()
  }

  for ((copied, hint) <- Seq("cells" -> "", "a matrix" -> "/*+ WINDOW_JOIN(l, r, '1x3') */ "))
    test(
      s"late rows are counted once and kept beside, whatever the number of their copies in $copied"
    ) {
      val directory = newDirectory().resolve("rows")
      withSettings(ScaleGateConf.LateRows -> directory.toString) {
        val right = query.replace("LEFT JOIN", "RIGHT JOIN").replace("SELECT ", s"SELECT $hint")
        val run = new Running(right, delay = "2 seconds").start()
        try {
          run.add(Seq(at(20, 1)), Seq(at(20, 100)))
          run.add(Seq.tabulate(40)(i => at(10, i.toLong, x = i)), Seq(at(12, 101, x = 3)))
          run.add(Seq(at(30, 2)), Seq(at(17.5, 102)))
          assert(run.dropped == 42)
        } finally run.stop()
        val late = spark.read.json(directory.toString)
        assert(late.columns.toSet == Set("ts", "x", "id", "operator", "side", "batch"))
        assert(
          late.where("side = 'left'").select("id").collect().map(_.getLong(0)).sorted.toSeq ==
            (0L until 40L)
        )
        assert(
          rowsOf(late.where("side = 'right'").selectExpr("id", "x", "CAST(ts AS TIMESTAMP)")) ==
            Seq("[101,3,1970-01-01 00:00:12.0]", "[102,5,1970-01-01 00:00:17.5]")
        )
      }
    }

  test("the state can be read back, by Spark's reader in chunks and by ours in rows") {
    val run = new Running(query, delay = "5 seconds").start()
    try run.add(Seq(at(10, 1), at(10.1, 2, x = 50)), Seq(at(10.2, 100)))
    finally run.stop()
    val chunks = spark.read.format("statestore").load(run.checkpoint.toString)
    assert(chunks.selectExpr("sum(value.count)").head().getLong(0) == 4, "3 rows and a mark")
    for (side <- Seq("left", "right"))
      assert(
        StateReader.read(spark, run.checkpoint.toString, side, 0).columns.toSet ==
          Set("partition_id", "batch", "id", "ts", "x")
      )
    def state(side: String) =
      rowsOf(StateReader.read(spark, run.checkpoint.toString, side, 0).select("id", "x", "batch"))
    assert(state("left") == Seq("[1,5,0]", "[2,50,0]"))
    assert(state("right") == Seq("[100,5,0]"))
    assert(intercept[IllegalArgumentException](state("both")).getMessage.contains("not 'both'"))
    def inSql(arguments: String) =
      rowsOf(spark.sql(s"SELECT id, x, batch FROM join_state('${run.checkpoint}', $arguments)"))
    assert(inSql("'left'") == state("left") && inSql("'right', 0") == state("right"))
    for (wrong <- Seq("'left', '0'", "7", "CAST(NULL AS STRING)", "'left', 0, 0"))
      assert(
        intercept[IllegalArgumentException](inSql(wrong)).getMessage.contains("join_state takes")
      )
  }

  test("a state in Avro is refused when the query starts, as Spark refuses it of its joins") {
    withSettings("spark.sql.streaming.stateStore.encodingFormat" -> "avro") {
      val keyed = query.replace(" ON ", " ON l.x = r.x AND ")
      def refused =
        intercept[Exception](new Running(keyed, delay = "5 seconds").start()).getMessage
      assert(refused.startsWith("joins of two streams keep their state in Spark's binary rows"))
      assert(plainSpark(refused).contains("avro is not supported"))
    }
  }

  for (
    ((provider, version), i) <- Seq(
      "HDFSBackedStateStoreProvider" -> 1,
      "RocksDBStateStoreProvider" -> 1,
      "RocksDBStateStoreProvider" -> 2
    ).zipWithIndex
  )
    test(
      s"a query goes on from its checkpoint, with $provider and checkpoint format $version"
    ) {
      val asked = Seq(
        DefaultFiles,
        "spark.sql.streaming.stateStore.providerClass" ->
          s"org.apache.spark.sql.execution.streaming.state.$provider",
        "spark.sql.streaming.stateStore.checkpointFormatVersion" -> version.toString
      )
      // One of them has Spark's default files, all in a campaign.
      withSettings(asked.drop(if (isSoak || i == 0) 0 else 1): _*) {
        val run = new Running(query).start()
        try {
          run.add(Seq(at(10, 1), at(10.1, 2, x = 50)), Seq(at(10.2, 100)))
          run.stop().start()
          run.add(Seq(at(10.3, 3)), Seq(at(10.4, 101)))
          assert(run.total("rebuilds") == 2)
          run.stop().start()
          run.add(Seq(at(10.5, 4)), Seq.empty)
          run.stop().start()
          run.add(Seq(at(30, 5)), Seq(at(30, 102)))
          val expected =
            for (a <- Seq(1, 3, 4); b <- Seq(100, 101)) yield s"[$a,$b]"
          assert(run.all == (expected ++ Seq("[2,null]", "[5,102]")).sorted)
        } finally run.stop()
      }
    }

  test("a batch that fails in its output runs again, and gives its rows once") {
    val run = new Running(query).start()
    try {
      run.add(Seq(at(10, 1), at(10.1, 2, x = 50)), Seq(at(10.2, 100)))
      run.failNext()
      assert(run.fails(Seq(at(10.3, 3)), Seq(at(10.4, 101))).getMessage.contains("as asked"))
      run.start().add(Seq(at(30, 5)), Seq(at(30, 102)))
      assert(
        run.all == Seq("[1,100]", "[1,101]", "[3,100]", "[3,101]", "[2,null]", "[5,102]").sorted
      )
    } finally run.stop()
  }

  test("a restored state is as large as the one that was lost") {
    val run = new Running(query).start()
    try {
      run.add((1 to 50).map(i => at(10 + i / 100.0, i.toLong)), Seq(at(10.2, 100)))
      val names = Seq("leftStateRows", "rightStateRows", "leftStateBytes", "rightStateBytes")
      run.add(Seq(at(10.6, 60)), Seq.empty)
      val before = names.map(run.metric)
      assert(before.take(2) == Seq(51, 1))
      run.stop().start().add(Seq.empty, Seq(at(10.1, 101)))
      assert(names.map(run.metric).zip(before).forall { case (now, was) => now >= was })
      assert(run.metric("leftStateRows") == 51 && run.metric("leftStateBytes") == before(2))
    } finally run.stop()
  }

  test("Spark can ask how much memory the windows take, rows and indexes") {
    val run = new Running(query).start()
    try {
      run.add((1 to 50).map(i => at(10 + i / 100.0, i.toLong)), Seq(at(10.2, 100)))
      val (rows, attributes) = (51, 2)
      val bytes = run.metric("leftStateBytes") + run.metric("rightStateBytes")
      assert(bytes > 0)
      for (told <- TestStreams.memoryTold("ScaleGate"))
        assert(told >= bytes + rows * attributes * 3 * 8)
    } finally run.stop()
  }

  test("a checkpoint of another join is refused, with what differs") {
    val run = new Running(query).start()
    try run.add(Seq(at(10, 1)), Seq(at(10.2, 100)))
    finally run.stop()
    for (
      (other, expected) <- Seq(
        query.replace("<= 1", "<= 2") -> "condition was [",
        query.replace("LEFT JOIN", "JOIN") -> "join was [LeftOuter] and is [Inner]",
        query.replace("l.id AS a", "l.id AS a, l.k") -> "left was [",
        query.replace(
          "SELECT",
          "SELECT /*+ WINDOW_JOIN(l, r, '3x1') */"
        ) -> "a matrix of 3 x 1 cells"
      )
    ) {
      val changed = new Running(other, checkpoint = run.checkpoint)
      val e = intercept[StreamingQueryException](
        try changed.takes(run).start().add(Seq(at(11, 2)), Seq.empty)
        finally changed.stop()
      )
      assert(e.getMessage.contains(expected), e.getMessage)
      assert(e.getMessage.contains("Start with a new checkpoint"))
    }
  }

  test(
    "a join without watermark or bound is refused before it starts, and told what is missing"
  ) {
    def refusal(condition: String, join: String = "JOIN", delays: Boolean = true) = {
      val run = new Running(s"SELECT * FROM l $join r ON $condition", watermarks = delays)
      val e = intercept[Exception](run.start())
      assert(!Files.exists(run.checkpoint.resolve("state")))
      e.getMessage
    }
    assert(refusal("abs(l.x - r.x) <= 1").contains("does not bound the difference between"))
    assert(
      refusal("r.ts >= l.ts - INTERVAL 1 SECOND AND abs(l.x - r.x) <= 1").contains(
        "the event times ts of the left input and ts of the right one"
      )
    )
    val unmarked = refusal(
      "abs(l.x - r.x) <= 1 AND r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts",
      delays = false
    )
    assert(unmarked.contains("its left and its right input has no watermark"))
    assert(unmarked.contains("Call withWatermark(time, delay)"))
    assert(
      refusal(
        "(l.x < r.x OR l.x IN (SELECT id FROM range(3))) AND r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts"
      ).contains("no subquery but one that gives one value of tables at rest")
    )
  }

  test("an outer join is refused in update mode, an inner join runs in it") {
    val e = intercept[IllegalArgumentException](new Running(query, mode = "update").start())
    assert(e.getMessage.contains("use outputMode append"))
    val inner = new Running(query.replace("LEFT ", ""), mode = "update").start()
    try {
      inner.add(Seq(at(10, 1)), Seq(at(10.2, 100)))
      assert(inner.fresh() == Seq("[1,100]"))
    } finally inner.stop()
  }

  test("a key without a bound, and any join with the package off, is Spark's") {
    val keyed = new Running("SELECT l.id, r.id AS other FROM l JOIN r ON l.k = r.k").start()
    try {
      keyed.add(Seq(at(10, 1)), Seq(at(20, 100)))
      assert(keyed.operator == "symmetricHashJoin" && keyed.fresh() == Seq("[1,100]"))
    } finally keyed.stop()
    plainSpark {
      val e = intercept[Exception](
        new Running(query.replace("LEFT ", "")).start().add(Seq(at(10, 1)), Seq.empty)
      )
      assert(e.getMessage.contains("equality predicate"))
    }
  }
}
