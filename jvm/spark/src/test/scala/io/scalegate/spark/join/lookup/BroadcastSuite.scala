package io.scalegate.spark.join.lookup

import java.lang.ref.SoftReference
import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.execution.RDDScanExec
import org.apache.spark.sql.execution.exchange.{
  BroadcastExchangeLike,
  ReusedExchangeExec,
  ShuffleExchangeLike
}
import org.apache.spark.sql.scalegate.MemoryAccess
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.WindowJoinNode
import io.scalegate.spark.join.batch.{LocalJoin, SweptJoin, WindowJoinExec}
import io.scalegate.stream.Side

/** The join of a large input with a small one that is broadcast. */
final class BroadcastSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] = SmallTables

  private val keyless =
    "SELECT r.id, s.id FROM r JOIN s ON abs(r.i - s.i) <= 3 AND s.ts BETWEEN r.ts - INTERVAL 9 HOURS AND r.ts"

  private def broadcasts(df: DataFrame): Seq[WindowJoinNode] = windowJoins(df).collect {
    case w @ WindowJoinExec(_, _: LocalJoin.Broadcast, _, _, _, _) => w
  }

  test("EXPLAIN says which side is broadcast") {
    val text = spark.sql(s"EXPLAIN $keyless").head().getString(0)
    assert(text.contains("BroadcastWindowJoin Inner, window: s.ts - r.ts in"))
    assert(text.contains("algorithm: index over the broadcast right side (it has "))
    assert(text.contains("WindowJoinPack"))
    assert(!text.contains("WindowJoinSlice"))
    assert(!text.contains("!BroadcastWindowJoin"), "the node has columns that nothing gives it")
  }

  test("the smaller input is broadcast, whichever side it is on") {
    val large = "(SELECT id AS i FROM range(0, 4000, 1, 3))"
    val small = "(SELECT id * 13 AS i FROM range(0, 300, 1, 2))"
    Seq((large, small, Side.S), (small, large, Side.R)).foreach { case (left, right, expected) =>
      val query = s"SELECT a.i, b.i FROM $left a JOIN $right b ON abs(a.i - b.i) <= 2"
      assert(broadcasts(spark.sql(query)).map(_.probing.side.opposite) == Seq(expected))
      assertJoins(query)
    }
  }

  test("Spark's own threshold decides what is small") {
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
      assertRunsBy(spark.sql(keyless), classOf[SweptJoin])
      assertJoins(keyless)
    }
  }

  test("an input that turns out small when the other lies in cells is exchanged as planned") {
    val few = "(SELECT i, count(*) AS n FROM (SELECT id % 50 AS i FROM range(0, 90000, 1, 2)) " +
      "WHERE i > 10 GROUP BY i)"
    val query = s"SELECT r.id, f.i, f.n FROM (SELECT r.id, i FROM r, range(0, 40)) r " +
      s"JOIN $few f ON abs(r.i - f.i) <= 1"
    withSettings(
      "spark.sql.autoBroadcastJoinThreshold" -> "5000",
      "spark.sql.defaultSizeInBytes" -> "100000"
    ) {
      assertJoins(query)
    }
  }

  test("inputs that turn out small before either lies in cells are broadcast then") {
    def few(table: String) = s"(SELECT /*+ REPARTITION(2) */ id, i FROM $table WHERE id < 10)"
    val query = s"SELECT a.id, b.id FROM ${few("r")} a JOIN ${few("s")} b ON abs(a.i - b.i) <= 9"
    withSettings(
      "spark.sql.autoBroadcastJoinThreshold" -> "400",
      "spark.sql.defaultSizeInBytes" -> "100000"
    ) {
      val df = spark.sql(query)
      assertRunsBy(df, classOf[SweptJoin])
      assertJoins(query)
      df.collect()
      assert(broadcasts(df).size == 1)
    }
  }

  test("the rows are the same with adaptive execution off") {
    withSettings("spark.sql.adaptive.enabled" -> "false") {
      assertJoins(keyless)
      assert(broadcasts(spark.sql(keyless)).size == 1)
    }
  }

  test("one broadcast serves two joins with different bands") {
    def half(table: String, width: Int) =
      s"SELECT t.id, s.id AS other FROM $table t JOIN s ON abs(t.i - s.i) <= $width"
    val large =
      "(SELECT id, i FROM r UNION ALL SELECT id, i FROM r UNION ALL SELECT id, i FROM r)"
    val query = half(large, 2) + " UNION ALL " + half(large, 7)
    val df = assertedJoin(query)
    assert(broadcasts(df).size == 2)
    val made = collect(executed(df)) { case b: BroadcastExchangeLike => b }
    val reused = collect(executed(df)) { case r: ReusedExchangeExec => r }
    assert(made.size == 1 && reused.size == 1)
  }

  private def field(owner: AnyRef, name: String): AnyRef = {
    val found = owner.getClass.getDeclaredField(name)
    found.setAccessible(true)
    found.get(owner)
  }

  private def indexesHolder: AnyRef =
    Class.forName("io.scalegate.spark.join.lookup.BroadcastIndexes$").getField("MODULE$").get(
      this
    )

  private def holders: Seq[AnyRef] = {
    val known = field(indexesHolder, "known")
      .asInstanceOf[JavaMap[AnyRef, JavaMap[AnyRef, AnyRef]]]
    known.values.asScala.toSeq.flatMap(_.values.asScala)
  }

  /** What the JVM may take back of the indexes that it holds. */
  private def heldIndexes: Seq[SoftReference[AnyRef]] =
    holders.map(held => field(held, "index").asInstanceOf[SoftReference[AnyRef]])

  test(
    "an index that the JVM took back for want of memory is built again from the rows, and stays"
  ) {
    val df = spark.sql(keyless)
    val expected = plainSpark(rowsOf(spark.sql(keyless)))
    assert(rowsOf(df) == expected)
    val before = heldIndexes
    assert(before.exists(held => Option(held.get).nonEmpty))
    before.foreach(_.clear())
    assert(rowsOf(df) == expected)
    val again = heldIndexes.flatMap(held => Option(held.get))
    assert(again.size == 1)
    heldIndexes.foreach(_.clear())
    assert(rowsOf(df) == expected)
    val kept = holders.flatMap(held => Option(field(held, "kept")))
    assert(kept.size == 1 && (kept.head eq again.head))
  }

  test("indexes are in Spark's accounts, and those that no task uses make room for others") {
    assert(rowsOf(spark.sql(keyless)).nonEmpty)
    val before = MemoryAccess.storageUsed
    val indexes = indexesHolder
    val asked = Long.box(2 * MemoryAccess.mostStorage)
    val none = indexes.getClass.getMethod("reserve", classOf[Long]).invoke(indexes, asked)
    assert(none == None)
    assert(MemoryAccess.storageUsed < before, "unused indexes were dropped")
    assert(rowsOf(spark.sql(keyless)).nonEmpty)
  }

  test("the other input keeps its partitions: an aggregate on its key needs no more exchange") {
    val large = "(SELECT k, i FROM r UNION ALL SELECT k, i FROM r)"
    val df = spark.sql(
      s"SELECT t.k, count(*) FROM (SELECT /*+ REPARTITION(k) */ k, i FROM $large) t " +
        "JOIN s ON abs(t.i - s.i) <= 3 GROUP BY t.k"
    )
    df.collect()
    assert(broadcasts(df).size == 1)
    assert(collect(executed(df)) { case e: ShuffleExchangeLike => e }.size == 1)
  }

  test("the metrics count rows and comparisons") {
    val df = spark.sql(keyless)
    val rows = df.collect().length
    val m = broadcasts(df).head.metrics
    assert(m("numOutputRows").value == rows)
    assert(m("comparisons").value >= rows)
    val packed = collect(executed(df)) { case p: PackExec => p.metrics("numOutputRows").value }
    val usable = spark.table("s").where("i IS NOT NULL AND ts IS NOT NULL").count()
    assert(packed == Seq(usable))
  }

  test("rows wider than a chunk, and of columns without a value, are broadcast whole") {
    val wide = "SELECT id AS i, repeat(char(97 + id % 26), id * 200000) AS pad, " +
      "if(id % 3 = 0, NULL, id) AS n FROM range(0, 12, 1, 2)"
    val query = s"SELECT a.i, b.i, b.n, length(b.pad), substring(b.pad, 1, 5), length(a.pad) " +
      s"FROM ($wide) a JOIN ($wide) b ON abs(a.i - b.i) <= 1"
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "100MB")(assertJoins(query))
  }

  test("a join's rows may be of no column") {
    assertJoins("SELECT count(*) FROM r JOIN s ON abs(r.i - s.i) <= 3")
  }

  test("an exception inside the condition ends the query with that exception") {
    val e = intercept[Exception] {
      spark
        .sql("SELECT r.id FROM r JOIN s ON abs(r.i - s.i) <= 3 AND 1 / (r.id - s.id) > 0")
        .collect()
    }
    assert(causes(e).exists(_.getMessage.contains("DIVIDE_BY_ZERO")))
  }

  test("rows of any kind come out of a pack as they went in") {
    val columns =
      Seq(AttributeReference("i", IntegerType)(), AttributeReference("t", StringType)())
    val texts = Seq(null, "", "a", "é" * 100000)
    val rows = Seq.tabulate(60)(i => (i, texts(i % texts.size)))
    val generic = spark.sparkContext
      .parallelize(rows, 2)
      .map { case (i, t) => InternalRow(i, UTF8String.fromString(t)) }
    val pack = PackExec(
      AttributeReference("packed", org.apache.spark.sql.types.BinaryType)(),
      RDDScanExec(columns, generic, "generic rows")
    )
    val chunks = pack.executeCollect()
    assert(chunks.length > 2)
    assert(PackedRows.count(chunks) == rows.size)
    val unpacked = PackedRows(chunks, 2).map { row =>
      (row.getInt(0), if (row.isNullAt(1)) null else row.getUTF8String(1).toString)
    }
    assert(unpacked.toSeq.sortBy(_._1) == rows)
  }
}
