package io.scalegate.spark.window

import java.time.{Instant, LocalDateTime, ZoneOffset}

import scala.util.Random

import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Encoder, Encoders, Row, functions}

import io.scalegate.Sample
import io.scalegate.spark.SparkFeature
import io.scalegate.spark.settings.ScaleGateConf

/** Random windows, keys, functions and settings: the same rows as Spark's own plan. With `SCALEGATE_SOAK` more of them. */
final class PaneRowsSuite extends PaneAggregateSuite {
  import PaneRowsSuite._

  override protected def settings: Map[String, String] = Map(ScaleGateConf.MinOverlap -> "1")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val random = new Random(17)
    spark
      .createDataFrame(spark.sparkContext.parallelize(Seq.fill(400)(event(random)), 3), Schema)
      .createOrReplaceTempView("events")
    spark.udf.register("longest", functions.udaf(Longest))
  }

  test("a filter of windows and of a key whose equal values differ is one of rows") {
    spark.sql(
      "SELECT timestamp_seconds(t) AS ts, f, named_struct('f', f) AS st, s COLLATE UTF8_LCASE AS s, v " +
        "FROM VALUES (5, 0.0D, 'a', 1), (5, -0.0D, 'A', 10), (25, 0.0D, 'a', 100), (25, -0.0D, 'A', 1000) AS t(t, f, s, v)"
    ).createOrReplaceTempView("twins")
    def query(key: String, tested: String) =
      s"SELECT w.start, sum(v) FROM (SELECT *, window(ts, '20 seconds', '10 seconds') AS w FROM twins) " +
        s"WHERE $tested OR w.start > '1970-01-01 00:00:10' GROUP BY w, $key"
    for (
      (key, tested) <- Seq(
        "f" -> "CAST(f AS STRING) = '-0.0'",
        "st" -> "CAST(st.f AS STRING) = '-0.0'",
        "s" -> "hex(s) = '41'"
      )
    ) assertSparks(query(key, tested))
    assertPanes(query("v", "v = 10"))
  }

  private val random = new Random(23)
  private def oneOf[T](from: Seq[T]): T = from(random.nextInt(from.size))

  private def window(): String = {
    val slide = 1 + random.nextInt(500)
    val size = slide + 1 + random.nextInt(slide * 6)
    val start = random.nextInt(2 * slide - 1) - slide + 1
    val unit = oneOf(Seq("seconds", "seconds", "milliseconds"))
    s"window(${oneOf(Seq("ts", "ts", "tn"))}, '$size $unit', '$slide $unit', '$start $unit')"
  }

  private def function(): String = {
    val filter = oneOf(Seq("i > 0", "name <> 'n1'", "x < 3 OR l IS NULL"))
    val function = oneOf(Functions)
    function.replace("{}", if (random.nextInt(4) > 0) "" else s" FILTER (WHERE $filter)")
  }

  private def query(): String = {
    val keys =
      oneOf(Seq(Nil, Seq("k"), Seq("name"), Seq("x"), Seq("k", "name"), Seq("k % 2", "b")))
    val functions = Seq.fill(1 + random.nextInt(6))(function())
    val having =
      oneOf(Seq("", "", s" HAVING count(*) > 1", " HAVING window.start > '1970-01-01'"))
    val where = oneOf(Seq("", " WHERE i > -30", " WHERE k < 3 OR k IS NULL"))
    val by = window()
    (Seq(s"$by AS w") ++ keys ++ functions).mkString("SELECT ", ", ", "") +
      s" FROM events$where GROUP BY ${(by +: keys).mkString(", ")}$having"
  }

  private def drawn(): Seq[(String, String)] = Seq(
    "spark.sql.shuffle.partitions" -> (1 + random.nextInt(7)).toString,
    "spark.sql.adaptive.enabled" -> random.nextBoolean().toString,
    "spark.sql.ansi.enabled" -> random.nextBoolean().toString,
    "spark.sql.session.timeZone" -> oneOf(Seq("UTC", "America/New_York", "Asia/Kolkata")),
    "spark.sql.execution.useObjectHashAggregateExec" -> random.nextBoolean().toString,
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> oneOf(Seq("2", "128"))
  )

  /** Rows of a window that have one value of an argument may be all that it has. */
  private def forCorrelations(query: String) =
    if (!query.contains("corr(") || SparkFeature.ConstantCorrelation.isExpected) Nil
    else Seq("spark.sql.ansi.enabled" -> "false")

  private val Queries = if (Sample.isSoak) 30 else 4

  test(s"$Queries random queries") {
    (1 to Queries).foreach { _ =>
      val (settings, asked) = (drawn(), query())
      withSettings(settings ++ forCorrelations(asked): _*)(assertPanes(asked))
    }
  }

  test("generated code of expressions and of whole stages, and none") {
    for {
      wholeStage <- Seq("true", "false")
      expressions <- Seq("CODEGEN_ONLY", "NO_CODEGEN")
      _ <- 1 to Sample.cases(5)
    } withSettings(
      "spark.sql.codegen.wholeStage" -> wholeStage,
      "spark.sql.codegen.factoryMode" -> expressions
    )(assertPanes(query()))
  }

  test("more functions than one compiled method merges") {
    val pairs = if (Sample.isSoak) 150 else 100
    val many = (1 to pairs).map(i => s"sum(l % $i), count(nullif(i % $i, 0))").mkString(", ")
    assertPanes(
      s"SELECT window, k, $many FROM events GROUP BY window(ts, '7 minutes', '2 minutes'), k"
    )
  }

  test("expressions of results, of chance among them") {
    assertPanes(
      """SELECT window, avg(i) * 2 + sum(l), sum(l) IS NULL, CAST(rand() AS INT) + count(*)
        |FROM events GROUP BY window(ts, '7 minutes', '2 minutes'), k""".stripMargin
    )
  }

  private val functionsAlone = Functions.map(_.replace("{}", ""))

  private def asking(functions: String) =
    s"SELECT window, k, $functions FROM events GROUP BY window(ts, '7 minutes', '2 minutes'), k"

  /** By plain Spark, which is asked of all together: to ask it of each takes as long as the test of it. */
  private lazy val ofAll: (StructType, Seq[Row]) = plainSpark {
    val df = spark.sql(asking(functionsAlone.mkString(", ")))
    (df.schema, df.collect().toSeq)
  }

  functionsAlone.zipWithIndex.foreach { case (function, i) =>
    test(s"alone: $function") {
      val (schema, rows) = ofAll
      val columns = Seq(0, 1, i + 2)
      assertPanesGive(
        asking(function),
        StructType(columns.map(schema(_))),
        rows.map(row => Row.fromSeq(columns.map(row.get)).toString).sorted
      )
    }
  }

  test("no functions at all") {
    assertPanes(
      "SELECT window.start, name FROM events GROUP BY window(ts, '1 hour', '7 minutes'), name"
    )
  }

  test("no rows at all, and rows without a time only") {
    Seq("i > 1000", "ts IS NULL").foreach { where =>
      assertPanes(
        s"SELECT window, count(*), sum(i) FROM events WHERE $where GROUP BY window(ts, '1 hour', '7 minutes')"
      )
    }
  }
}

private object PaneRowsSuite {
  val Schema: StructType = new StructType()
    .add("ts", TimestampType)
    .add("tn", TimestampNTZType)
    .add("k", IntegerType)
    .add("name", StringType)
    .add("b", BooleanType)
    .add("i", IntegerType)
    .add("l", LongType)
    .add("x", DoubleType)
    .add("f", FloatType)
    .add("m", DecimalType(10, 2))
    .add("huge", DecimalType(38, 4))
    .add("d", DateType)
    .add("bytes", BinaryType)

  /** With a place for a FILTER. Those whose results depend on the order of rows are made not to; sums of `x` and `f`
    * are exact.
    */
  val Functions: Seq[String] = Seq(
    "count(*){}",
    "count(i, name){}",
    "count_if(b){}",
    "sum(i){}",
    "sum(l){}",
    "sum(x){}",
    "sum(f){}",
    "sum(m){}",
    "try_sum(huge){}",
    "avg(i){}",
    "avg(x){}",
    "avg(m){}",
    "min(x){} + 0.0D",
    "max(x){} + 0.0D",
    "max(name){}",
    "hex(min(bytes){})",
    "max(huge){}",
    "min(d){}",
    "max(tn){}",
    "max(struct(i, name)){}",
    "max_by(name, struct(l, i, name)){}",
    "min_by(struct(i, name), struct(x, i, name)){}",
    "bool_and(b){}",
    "some(b){}",
    "bit_xor(l){}",
    "round(stddev(i){}, 6)",
    "round(var_pop(m){}, 6)",
    "round(skewness(i){}, 6)",
    "round(corr(i, l){}, 6)",
    "round(regr_slope(i, l){}, 6)",
    "sort_array(collect_list(i){})",
    "sort_array(collect_set(name){})",
    "sort_array(array_agg(struct(name, i)){})",
    "listagg(name, '-') WITHIN GROUP (ORDER BY name){}",
    "approx_count_distinct(i){}",
    "percentile(i, array(0.25, 0.75)){}",
    "median(l){}",
    "mode() WITHIN GROUP (ORDER BY name){}",
    "percentile_cont(0.5) WITHIN GROUP (ORDER BY x){} + 0.0D",
    "approx_percentile(i, 0.5){}",
    "hex(count_min_sketch(name, 0.5d, 0.5d, 1){})",
    "hll_sketch_estimate(hll_sketch_agg(name){})",
    "theta_sketch_estimate(theta_sketch_agg(name){})",
    "kll_sketch_get_n_bigint(kll_sketch_agg_bigint(l){})",
    "sort_array(approx_top_k(name, 20){})",
    "aggregate(histogram_numeric(i, 100){}, 0D, (n, bin) -> n + bin.y)", // equal values may stay apart
    "hex(bitmap_construct_agg(bitmap_bit_position(i)){})",
    "bit_and(l){}",
    "bit_or(l){}",
    "try_avg(i){}",
    "percentile_disc(0.5) WITHIN GROUP (ORDER BY i){}",
    "round(kurtosis(i){}, 6)",
    "round(covar_pop(i, k){}, 6)",
    "round(covar_samp(i, k){}, 6)",
    "round(regr_r2(i, k){}, 6)",
    "regr_count(i, l){}",
    "first(i - i, true){}",
    "last_value(i - i, true){}",
    "any_value(i - i, true){}",
    "vector_sum(array(coalesce(f, 0f))){}",
    "longest(name){}"
  ).filterNot(function =>
    SparkFeature.missingFunctions.exists(name => function.contains(s"$name("))
  )

  def event(random: Random): Row = {
    def sometimes[T](value: => T, special: T*): Any =
      random.nextInt(12) match {
        case 0 => null
        case 1 if special.nonEmpty => special(random.nextInt(special.size))
        case _ => value
      }
    // Around the epoch, at which the sign changes; many at one time, and some on the borders of windows.
    val micros = (random.nextInt(4000) - 2000) * 1000000L + random.nextInt(3) * 1L
    val instant = Instant.EPOCH.plusNanos(micros * 1000)
    Row(
      sometimes(java.sql.Timestamp.from(instant)),
      sometimes(LocalDateTime.ofInstant(instant, ZoneOffset.UTC)),
      sometimes(random.nextInt(4)),
      sometimes(s"n${random.nextInt(5)}", "", "a longer name than others"),
      sometimes(random.nextBoolean()),
      sometimes(random.nextInt(80) - 40),
      sometimes(random.nextInt(80) - 40L, 1L << 40, -(1L << 40)),
      sometimes(
        random.nextInt(12) / 4.0,
        Double.NaN,
        Double.PositiveInfinity,
        Double.NegativeInfinity,
        -0.0
      ),
      sometimes(random.nextInt(60) / 4f, Float.NaN, -0.0f),
      sometimes(new java.math.BigDecimal(random.nextInt(4000)).movePointLeft(2)),
      sometimes(
        new java.math.BigDecimal("9" * 33).add(new java.math.BigDecimal(random.nextInt(9)))
      ),
      sometimes(java.sql.Date.valueOf(s"2024-01-${10 + random.nextInt(20)}")),
      sometimes(Array.fill(random.nextInt(3))(random.nextInt(4).toByte))
    )
  }

  /** A user's own: the longest text, and of those of one length the last. */
  object Longest extends Aggregator[String, String, String] {
    override def zero: String = ""
    override def reduce(longest: String, text: String): String =
      if (text == null) longest else merge(longest, text)
    override def merge(a: String, b: String): String =
      Seq(a, b).maxBy(t => (t.length, t))
    override def finish(longest: String): String = longest
    override def bufferEncoder: Encoder[String] = Encoders.STRING
    override def outputEncoder: Encoder[String] = Encoders.STRING
  }
}
