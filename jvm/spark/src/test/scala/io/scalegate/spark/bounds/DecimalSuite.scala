package io.scalegate.spark.bounds

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite

/** Bounds on decimals: whole numbers of the last digit's units, where 64 bits hold them. With `SCALEGATE_SOAK` each
  * condition that comes with several settings or types of join is tried with all of them; otherwise by turns.
  */
final class DecimalSuite extends SparkJoinSuite {

  /** `m` and `n` of few digits, `p` and `q` of as many as 64 bits hold before and behind the point, `w` of more. */
  private val schema = new StructType()
    .add("id", IntegerType)
    .add("k", DecimalType(4, 1))
    .add("m", DecimalType(10, 2))
    .add("n", DecimalType(9, 4))
    .add("p", DecimalType(18, 0))
    .add("q", DecimalType(18, 18))
    .add("w", DecimalType(38, 10))
    .add("i", IntegerType)
    .add("l", LongType)
    .add("h", ShortType)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    for ((name, seed) <- Seq("a" -> 3L, "b" -> 4L)) {
      val random = new Random(seed)
      val rows = spark.sparkContext.parallelize(Seq.tabulate(70)(row(_, random)), 2)
      spark.createDataFrame(rows, schema).createOrReplaceTempView(name)
    }
  }

  /** NULL, and the ends of the types, among values that lie near each other. */
  private def row(id: Int, random: Random): Row = {
    def orEnd[T](value: => T, ends: T*): Any = random.nextInt(8) match {
      case 0 => null
      case 1 if ends.nonEmpty => ends(random.nextInt(ends.size))
      case _ => value
    }
    def decimal(digits: Int, scale: Int) = {
      val most = new java.math.BigDecimal("9" * digits).movePointLeft(scale)
      orEnd(java.math.BigDecimal.valueOf(random.nextInt(400) - 200L, scale), most, most.negate)
    }
    Row(
      id,
      decimal(4, 1),
      decimal(10, 2),
      orEnd(java.math.BigDecimal.valueOf(random.nextInt(40000) - 20000L, 4)),
      decimal(18, 0),
      decimal(18, 18),
      decimal(38, 10),
      orEnd(random.nextInt(40) - 20, Int.MinValue, Int.MaxValue),
      orEnd(random.nextInt(40) - 20L, Long.MinValue, Long.MaxValue),
      orEnd((random.nextInt(40) - 20).toShort, Short.MinValue, Short.MaxValue)
    )
  }

  private def query(condition: String, joinType: String = ""): String =
    s"SELECT a.id, b.id, a.m, b.n FROM a $joinType JOIN b ON $condition"

  private val read = Seq(
    "abs(a.m - b.m) <= 0.05" -> "window: b.m - a.m in [-0.05, 0.05]",
    "abs(a.m - b.m) < 0.05" -> "in [-0.04, 0.04]",
    "abs(b.m - a.m) <= 0.0599" -> "in [-0.05, 0.05]",
    "abs(a.m - b.m) < 0.0501" -> "in [-0.05, 0.05]",
    "abs(a.m - b.m) <= 1" -> "in [-1.00, 1.00]",
    "b.m BETWEEN a.m - 0.1 AND a.m + 1" -> "in [-0.10, 1.00]",
    "b.m BETWEEN a.m - 0.123456789 AND a.m + 0.005" -> "in [-0.12, 0.00]",
    "abs(a.m - b.n) <= 0.05" -> "in [-0.0500, 0.0500]",
    "a.n - b.m > -0.0031 AND a.n - b.m < 0.02" -> "in [-0.0199, 0.0030]",
    "-(a.m - b.m) + 0.1 BETWEEN 0 AND 0.3" -> "in [-0.10, 0.20]",
    "abs(a.m - b.i) <= 0.5" -> "in [-0.50, 0.50]",
    "abs(b.h - a.n) <= 1.5" -> "in [-1.5000, 1.5000]",
    "abs(a.p - b.p) <= 3" -> "in [-3, 3]",
    "b.p BETWEEN a.p - 999999999999999999 AND a.p" -> "in [-999999999999999999, 0]",
    "abs(a.q - b.q) <= 0.00000000000003" -> "in [-3.0000E-14, 3.0000E-14]",
    "a.m * 2 - b.n <= 0.5 AND b.n - a.m * 2 <= 0.5" -> "in [-0.5000, 0.5000]",
    "b.i BETWEEN a.i - 2.5 AND a.i + 0.5" -> "in [-2, 0]",
    "b.l BETWEEN a.l - 2.5 AND a.l + 0.5" -> "in [-2, 0]",
    "abs(a.m - b.m) <= 1 AND abs(a.n - b.n) <= 2 AND a.w > b.w" -> "bands: b.n - a.n",
    "a.k = b.k AND abs(a.m - b.m) <= 1" -> "keys: a.k = b.k",
    "a.k = b.m AND abs(a.m - b.n) <= 1" -> "keys: CAST(a.k AS DECIMAL(10,2)) = b.m",
    "a.m BETWEEN b.k AND b.n" -> "overlaps",
    "a.m BETWEEN b.i AND b.n" -> "overlaps"
  )

  private def assertRead(condition: String, shown: String, isRun: Boolean = true): Unit = {
    val text = query(condition)
    val df = if (isRun) assertedJoin(text) else spark.sql(text)
    val described = windowJoins(df).head.description
    assert(described.contains(shown), described)
    val isAll = !condition.contains("a.w") && shown != "overlaps"
    assert(described.contains("residual") != isAll, described)
    ()
  }

  // Below some of those whose rows are not looked at here run with other settings.
  for (((condition, shown), i) <- read.zipWithIndex)
    test(s"read: $condition") {
      val isRun = Sample.isSoak || i % 2 == 0
      withSettings(SmallTables.toSeq: _*)(assertRead(condition, shown, isRun))
    }

  test("read with ANSI mode off, and by generated code") {
    val settings =
      Seq("spark.sql.ansi.enabled" -> "false", "spark.sql.codegen.factoryMode" -> "CODEGEN_ONLY")
    for {
      ((condition, shown), i) <- read.grouped(4).map(_.last).zipWithIndex
      pairs <- Sample.turn(settings, i)
    } withSettings(SmallTables.toSeq :+ pairs: _*)(assertRead(condition, shown))
  }

  test("every join type, by sorted slices") {
    for {
      (how, i) <- Seq("LEFT", "RIGHT", "FULL").zipWithIndex
      (condition, _) <- Sample.turn(read.take(8).grouped(4).map(_.head).toSeq, i)
    } assertJoins(query(condition, how))
  }

  private val unread = Seq(
    "abs(a.w - b.w) <= 1" -> "w is DECIMAL(38,10)",
    "abs(a.p - b.q) <= 1" -> "p is DECIMAL(18,0), q is DECIMAL(18,18)",
    "abs(a.l - b.m) <= 1" -> "l is BIGINT, m is DECIMAL(10,2)"
  )

  unread.foreach { case (condition, why) =>
    test(s"left to Spark, and the hint says why: $condition") {
      withSettings(SmallTables.toSeq: _*)(assertLeftAlone(query(condition)))
      val hinted = query(condition).replace("SELECT", "SELECT /*+ WINDOW_JOIN */")
      assertJoins(hinted)
      val described = windowJoins(spark.sql(hinted)).head.description
      assert(described.endsWith(s"(nothing is bounded that can be read: $why)"))
    }
  }

  test("what Spark rounds, and constants of more digits than are kept, are left to it") {
    val digits = "0." + "0" * 29 + "1"
    for (
      condition <- Seq(
        s"abs(a.m - b.m + $digits) <= 1",
        s"b.m BETWEEN a.m - 1.${"3" * 20} AND a.m",
        s"b.m BETWEEN a.m AND a.m + 1${"0" * 20}"
      )
    ) withSettings(SmallTables.toSeq: _*)(assertLeftAlone(query(condition)))
  }

  test("whatever the precisions and scales of the two sides are") {
    val random = new Random(11)
    def side(name: String) = {
      val precision = 1 + random.nextInt(18)
      val scale = random.nextInt(precision + 1)
      val value = s"CASE WHEN $name.id % 2 = 0 THEN $name.n ELSE $name.p END"
      (precision, scale, s"try_cast($value AS DECIMAL($precision, $scale))")
    }
    for (_ <- 1 to (if (Sample.isSoak) 10 else 5)) {
      val ((p1, s1, x), (p2, s2, y)) = (side("a"), side("b"))
      val condition = s"$x - $y BETWEEN -${random.nextInt(90)}.${random.nextInt(900)} " +
        s"AND ${random.nextInt(90)}.${random.nextInt(90)}"
      withSettings(SmallTables.toSeq: _*) {
        if (math.max(p1 - s1, p2 - s2) + math.max(s1, s2) <= 18) assertJoins(query(condition))
        else assertLeftAlone(query(condition))
      }
    }
  }
}
