package io.scalegate.spark.around

import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable
import scala.util.control.NonFatal
import scala.util.{Random, Try}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, Offset}
import org.apache.spark.sql.classic.{DataFrame => ClassicDataFrame}
import org.apache.spark.sql.functions.{count, max, sum}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{LongType, StringType, StructType, TimestampType}
import org.apache.spark.sql.{DataFrame, Encoders, Row}

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** Random queries in which something stands below, between and above our operators, under random settings: plain Spark
  * says what their rows are. A query whose rows differ is made smaller for as long as they do, and shown with the
  * number that draws it again: its seed, and its own, from which `scalegate.around.from` starts. Thousands of them are
  * a matter of `make soak`.
  */
final class StandsAroundSuite extends SparkJoinSuite {
  import StandsAroundSuite._

  private val cases = number("cases", if (Sample.isSoak) 25 else 15)
  private val seed = number("seed", 1)
  private val first = number("from", 0)
  private val show = number("show", 0) > 0

  /** Memory off the heap is a matter of the session: every other seed has it. */
  override protected def settings: Map[String, String] =
    UnionSettings ++
      (if (seed % 2 != 0) Map.empty
       else Map("spark.memory.offHeap.enabled" -> "true", "spark.memory.offHeap.size" -> "200m"))

  private val Columns = "a, b, t, v"

  private val tables = for {
    size <- Seq("none_few" -> 0, "one_few" -> 1, "some" -> 12, "many" -> 40)
    form <- Seq("file", "local", "rdd", "cached")
  } yield (s"${form}_${size._1}", form, size._2)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val random = new Random(seed)
    tables.foreach { case (name, form, size) =>
      register(name, form, Seq.fill(size)(row(random)))
    }
    spark.sparkContext.setCheckpointDir(newDirectory().toString)
    Functions.register(spark)
  }

  private def row(random: Random): Row = {
    def orNull(value: Any) = if (random.nextInt(10) == 0) null else value
    Row(
      orNull(random.nextInt(30).toLong),
      orNull(random.nextInt(20).toLong),
      orNull(new java.sql.Timestamp(1577836800000L + 1000L * random.nextInt(60))),
      orNull(s"n${random.nextInt(4)}")
    )
  }

  private def register(name: String, form: String, rows: Seq[Row]): Unit = {
    val rdd = spark.sparkContext.parallelize(rows, 2)
    form match {
      case "file" =>
        val path = newDirectory().resolve(name).toString
        spark.createDataFrame(rdd, Schema).write.parquet(path)
        spark.read.schema(Schema).parquet(path).createOrReplaceTempView(name)
      case "rdd" => spark.createDataFrame(rdd, Schema).createOrReplaceTempView(name)
      case _ =>
        import scala.jdk.CollectionConverters._
        spark.createDataFrame(rows.asJava, Schema).createOrReplaceTempView(name)
        if (form == "cached") spark.catalog.cacheTable(name)
    }
  }

  /** One run of one query: it leaves nothing behind. */
  final private class Run(val isPlain: Boolean, isOurs: Boolean) extends Rendering
      with AutoCloseable {
    private[this] val cached = mutable.ArrayBuffer.empty[DataFrame]
    private[this] val views = mutable.ArrayBuffer.empty[String]

    def fresh(prefix: String): String = s"${prefix}_${names.incrementAndGet()}"

    def keep(how: String, sql: String): String = {
      val name = fresh("kept")
      val rows = spark.sql(sql)
      val kept = how match {
        case "cached" =>
          cached += rows.cache()
          rows
        case "local checkpoint" => rows.localCheckpoint()
        case "checkpoint" => rows.checkpoint()
        case "collected" => spark.createDataFrame(rows.collectAsList(), Schema)
        case "written" =>
          val path = newDirectory().resolve(name).toString
          rows.write.parquet(path)
          spark.read.schema(Schema).parquet(path)
        case "mapped" => rows.map(Functions.Same, ExpressionEncoder(Schema))
        case "mapped by partition" =>
          rows.mapPartitions(Functions.Passed, ExpressionEncoder(Schema))
        case "grouped by a function" =>
          rows
            .groupByKey(Functions.Key, Encoders.STRING)
            .flatMapGroups(Functions.Members, ExpressionEncoder(Schema))
        case "sampled" => rows.sample(1.0)
        case _ => rows
      }
      if (isOurs) operators ++= Operators.in(executed(rows))
      kept.createOrReplaceTempView(name)
      views += name
      name
    }

    def close(): Unit = {
      cached.foreach(_.unpersist())
      views.foreach(spark.catalog.dropTempView)
    }
  }

  private def plainly[T](body: Run => T): Try[T] =
    running(new Run(isPlain = true, isOurs = false))(run => plainSpark(body(run)))

  /** Plain Spark with what it is not written otherwise for: as a user writes it. */
  private def asWritten[T](body: Run => T): Try[T] =
    running(new Run(isPlain = false, isOurs = false))(run => plainSpark(body(run)))

  private def here[T](body: Run => T): Try[T] =
    running(new Run(isPlain = false, isOurs = true))(body)

  private def running[T](run: Run)(body: Run => T): Try[T] =
    try Try(body(run))
    finally run.close()

  private def texts(rows: Array[Row]): Seq[String] = rows.map(_.toString).toSeq

  /** How the rows differ from plain Spark's, if they do. */
  private def difference(tried: Case): Option[String] = withSettings(tried.settings.toSeq: _*) {
    val order = tried.taken match {
      case Taken.Ordered(true) => " ORDER BY a DESC, b DESC, t DESC, v DESC"
      case Taken.Ordered(_) | Taken.Last(_) | Taken.First(_) => s" ORDER BY $Columns"
      case _ => ""
    }
    def all(run: Run) = s"SELECT $Columns FROM (${tried.query.sql(run)})$order"
    val expected = plainly(run => wanted(tried.taken, all(run)))
    val actual = here(run => taken(tried.taken, all(run)))
    val complaint = (expected.toEither, actual.toEither) match {
      case (Right(rows), Right(found)) => differ(tried.taken, rows, found)
      case (Right(_), Left(e)) if isRefusal(e) => None
      case (Right(_), Left(e)) => Some(s"ours fails: ${causes(e).mkString("; ").take(1500)}")
      case (Left(e), Right(_)) =>
        Some(s"plain Spark fails: ${causes(e).mkString("; ").take(1500)}")
      case (Left(e), Left(_)) =>
        failing.incrementAndGet()
        if (show) println(s"fails in both: ${causes(e).last.toString.take(300)}")
        None
    }
    complaint.filterNot { _ =>
      val isSparks = expected.failed.toOption.exists(isInternal) ||
        isSame(asWritten(run => taken(tried.taken, all(run))), actual) ||
        asWritten(run => losesLimit(tried.taken, all(run))).getOrElse(false)
      if (isSparks) ofSpark.incrementAndGet()
      isSparks
    }
  }

  private def wanted(how: Taken, sql: String): Seq[String] = {
    val df = spark.sql(sql)
    how match {
      case Taken.Otherwise(way) => otherwise(df, way)
      case _ => texts(df.collect())
    }
  }

  /** Whether plain Spark does not know what the query's rows are: an error that is not meant for a user, such as a key
    * that one of its optimizer's rules has not found.
    */
  private def isInternal(e: Throwable): Boolean =
    !causes(e).exists(_.isInstanceOf[SparkThrowable])

  /** Whether plain Spark, given the query as it is written, has the same rows or the same error: then its own optimizer
    * has done that, which forgets the order of rows that are limited below a correlated subquery, and does not find the
    * columns of a union there.
    */
  private def isSame(plain: Try[Seq[String]], ours: Try[Seq[String]]): Boolean =
    (plain.toEither, ours.toEither) match {
      case (Right(rows), Right(found)) => rows.sorted == found.sorted
      case (Left(theirs), Left(e)) => isInternal(e) && kind(theirs) == kind(e)
      case _ => false
    }

  /** Whether plain Spark's optimizer moves a limit on a join below an offset of an input, and forgets the input's own
    * limit: it then has more rows than it says where it comes in several partitions.
    */
  private def losesLimit(how: Taken, sql: String): Boolean = {
    val limited = how match {
      case Taken.Some(n, _) => s"SELECT * FROM ($sql LIMIT $n)"
      case _ => sql
    }
    val df = spark.sql(limited).asInstanceOf[ClassicDataFrame]
    df.queryExecution.optimizedPlan.exists {
      case Offset(_, _: LocalLimit) => true
      case _ => false
    }
  }

  private def kind(e: Throwable): String =
    s"${causes(e).last.getClass} ${String.valueOf(causes(e).last.getMessage).replaceAll("#\\d+L?", "#")}"

  /** A hint that cannot be followed is an error by intention. */
  private def isRefusal(e: Throwable) =
    causes(e).exists(c => Hints.exists(String.valueOf(c.getMessage).contains(_))) && {
      refused.incrementAndGet()
      true
    }

  private def taken(how: Taken, sql: String): Seq[String] = {
    val rows = spark.sql(sql)
    val df = how match {
      case Taken.Some(n, "limit" | "take") => rows.limit(n)
      case Taken.Some(n, "limit in SQL") => spark.sql(s"SELECT * FROM ($sql LIMIT $n)")
      case Taken.Some(n, _) => spark.sql(s"SELECT * FROM ($sql LIMIT ${n + 2}) LIMIT $n")
      case Taken.First(n) => rows.limit(n)
      case _ => rows
    }
    val found = how match {
      case Taken.Some(n, "take") => texts(rows.take(n))
      case Taken.Last(n) => texts(df.tail(n))
      case Taken.Otherwise(way) => otherwise(df, way)
      case _ => texts(df.collect())
    }
    if (ScaleGateConf.enabled(SQLConf.get)) operators ++= Operators.in(executed(df))
    found
  }

  private def otherwise(df: DataFrame, way: String): Seq[String] = way match {
    case "counted" => Seq(df.count().toString)
    case "asked for one" => Seq(df.isEmpty.toString)
    case "iterated" =>
      import scala.jdk.CollectionConverters._
      df.toLocalIterator().asScala.map(_.toString).toSeq
    case "as RDD" => df.rdd.map(_.toString).collect().toSeq
    case "for each" =>
      val seen = spark.sparkContext.longAccumulator
      df.foreach((_: Row) => seen.add(1L))
      Seq(seen.sum.toString)
    case _ => Seq(df.agg(sum("a"), count("b"), max("t")).head().toString)
  }

  private def differ(how: Taken, rows: Seq[String], found: Seq[String]): Option[String] =
    how match {
      case Taken.All | Taken.Otherwise(_) => unlike(rows.sorted, found.sorted)
      case Taken.First(n) => unlike(rows.take(n), found)
      case Taken.Ordered(_) => unlike(rows, found)
      case Taken.Last(n) => unlike(rows.takeRight(n), found)
      case Taken.Some(n, _) =>
        if (found.size != math.min(n, rows.size))
          Some(s"${found.size} rows instead of $n of ${rows.size}")
        else Option(found.diff(rows)).filter(_.nonEmpty).map(r => s"rows that are not there: $r")
    }

  private def unlike(rows: Seq[String], found: Seq[String]): Option[String] =
    Option.when(rows != found) {
      val (missing, more) = (rows.diff(found), found.diff(rows))
      s"${rows.size} rows expected, ${found.size} found; missing: ${missing.take(8)}; " +
        s"too many: ${more.take(8)}${if (missing.isEmpty && more.isEmpty) "; order differs"
          else ""}"
    }

  /** The smallest case that can be reached from this one, and still differs. */
  private def smallest(tried: Case, complaint: String): (Case, String) = {
    var found = (tried, complaint)
    var tries = 0
    var more = true
    while (more && tries < MostTries) {
      val smaller = found._1.shrunk.takeWhile(_ => tries < MostTries).flatMap { c =>
        tries += 1
        difference(c).map((c, _))
      }
      more = smaller.hasNext
      if (more) found = smaller.next()
    }
    found
  }

  test(s"$cases random queries have plain Spark's rows") {
    val begun = System.nanoTime
    val faults = mutable.ArrayBuffer.empty[String]
    var i = first
    while (i < first + cases && faults.size < MostFaults) {
      val drawn = new QueryGenerator(
        new Draw(new Random(seed * 1000003L + i)),
        tables.map(_._1)
      ).next()
      operators.clear()
      try {
        val complaint = difference(drawn)
        tally.add(operators.toSet)
        if (show && operators.isEmpty) println(s"case $i shows none: $drawn")
        complaint.foreach { s =>
          val (small, why) = smallest(drawn, s)
          faults += s"case $i of seed $seed: $why\n  $small\n"
          if (isCampaign) println(faults.last)
        }
      } catch { case NonFatal(e) => faults += s"case $i of seed $seed: $e\n  $drawn" }
      i += 1
      if (isCampaign && i % 100 == 0)
        println(s"$i cases, ${faults.size} differ, ${seconds(begun)} s")
    }
    info(
      s"seed $seed, from case $first: ${i - first} cases in ${seconds(begun)} s; $refused hints " +
        s"refused, $failing fail in both, in $ofSpark plain Spark is wrong as well; $tally"
    )
    if (isCampaign) println(tally)
    assert(faults.isEmpty, faults.mkString("\n"))
    if (cases >= 1000) {
      assert(tally.missing.isEmpty, "no case ran these operators")
      assert(tally.share >= LeastShare, "too few cases run one of our operators")
    }
  }

  private def isCampaign = cases >= 1000

  private def seconds(since: Long) = (System.nanoTime - since) / 1000000000L

  private val names = new AtomicInteger
  private val operators = mutable.Set.empty[String]
  private val tally = new Operators.Tally
  private val refused = new AtomicInteger
  private val failing = new AtomicInteger
  private val ofSpark = new AtomicInteger
}

private object StandsAroundSuite {

  /** Which an error names that cannot be followed. */
  private val Hints = Seq("WINDOW_JOIN", "CUBE_JOIN")

  /** Without the partitioning that Spark's union keeps of its inputs: where it does not know it any more when it runs, an
    * aggregate above, planned without an exchange, is wrong in Spark 4.3, over its own joins as over ours.
    */
  private val UnionSettings = Map("spark.sql.unionOutputPartitioning" -> "false")

  val Schema: StructType = new StructType()
    .add("a", LongType)
    .add("b", LongType)
    .add("t", TimestampType)
    .add("v", StringType)

  val MostTries = 150
  val MostFaults = 12

  /** In percent. */
  val LeastShare = 70

  /** As the environment or the JVM's properties have it. */
  def number(name: String, default: Int): Int = {
    val set = sys.props.get(s"scalegate.around.$name")
      .orElse(sys.env.get(s"SCALEGATE_AROUND_${name.toUpperCase}"))
    set.fold(default)(_.toInt)
  }
}
