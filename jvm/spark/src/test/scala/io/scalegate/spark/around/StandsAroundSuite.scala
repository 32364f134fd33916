package io.scalegate.spark.around

import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable
import scala.util.control.NonFatal
import scala.util.{Random, Try}

import org.apache.spark.sql.types.{LongType, StringType, StructType, TimestampType}
import org.apache.spark.sql.{DataFrame, Row}

import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.aggregate.PaneWindowsExec
import io.scalegate.spark.exec.WindowJoinNode

/** Random queries in which something stands below, between and above our operators, under random settings: plain Spark
  * says what their rows are. A query whose rows differ is made smaller for as long as they do, and shown with the number that
  * draws it again. Thousands of them are a matter of `make soak`.
  */
final class StandsAroundSuite extends SparkJoinSuite {
  import StandsAroundSuite._

  private val cases = number("cases", 100)
  private val seed = number("seed", 1)

  /** Memory off the heap is a matter of the session: every other seed has it. */
  override protected def settings: Map[String, String] =
    if (seed % 2 != 0) Map.empty
    else Map("spark.memory.offHeap.enabled" -> "true", "spark.memory.offHeap.size" -> "200m")

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
    spark.udf.register("same", (x: java.lang.Long) => x)
    spark.udf.register("marked", (x: String) => if (x == null) null else s"$x!")
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
  final private class Run(val isPlain: Boolean) extends Rendering with AutoCloseable {
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
        case "collected" => spark.createDataFrame(rows.collectAsList(), Schema)
        case "written" =>
          val path = newDirectory().resolve(name).toString
          rows.write.parquet(path)
          spark.read.schema(Schema).parquet(path)
        case _ => rows
      }
      kept.createOrReplaceTempView(name)
      views += name
      name
    }

    def close(): Unit = {
      cached.foreach(_.unpersist())
      views.foreach(spark.catalog.dropTempView)
    }
  }

  private def running[T](isPlain: Boolean)(body: Run => T): Try[T] = {
    val run = new Run(isPlain)
    try Try(if (isPlain) plainSpark(body(run)) else body(run))
    finally run.close()
  }

  private def texts(rows: Array[Row]): Seq[String] = rows.map(_.toString).toSeq

  /** How the rows differ from plain Spark's, if they do. */
  private def difference(of: Case): Option[String] = withSettings(of.settings.toSeq: _*) {
    val order = of.taken match {
      case Taken.Ordered(true) => " ORDER BY a DESC, b DESC, t DESC, v DESC"
      case Taken.Ordered(_) | Taken.Last(_) => s" ORDER BY $Columns"
      case _ => ""
    }
    def all(run: Run) = s"SELECT $Columns FROM (${of.query.sql(run)})$order"
    val expected = running(isPlain = true)(run => texts(spark.sql(all(run)).collect()))
    val actual = running(isPlain = false)(run => taken(of.taken, all(run)))
    (expected.toEither, actual.toEither) match {
      case (Right(rows), Right(found)) => differ(of.taken, rows, found)
      case (Right(_), Left(e)) if isRefusal(e) => None
      case (Right(_), Left(e)) => Some(s"ours fails: ${causes(e).mkString("; ").take(1500)}")
      case (Left(e), Right(_)) =>
        Some(s"plain Spark fails: ${causes(e).mkString("; ").take(1500)}")
      case (Left(_), Left(_)) =>
        failing.incrementAndGet()
        None
    }
  }

  /** A hint that cannot be followed is an error by intention. */
  private def isRefusal(e: Throwable) =
    causes(e).exists(c => String.valueOf(c.getMessage).contains("WINDOW_JOIN")) && {
      refused.incrementAndGet()
      true
    }

  private def taken(how: Taken, sql: String): Seq[String] = how match {
    case Taken.Some(n, "limit") => texts(spark.sql(sql).limit(n).collect())
    case Taken.Some(n, "take") => texts(spark.sql(sql).take(n))
    case Taken.Some(n, "limit in SQL") =>
      texts(spark.sql(s"SELECT * FROM ($sql LIMIT $n)").collect())
    case Taken.Some(n, _) =>
      texts(spark.sql(s"SELECT * FROM ($sql LIMIT ${n + 2}) LIMIT $n").collect())
    case Taken.Last(n) => texts(spark.sql(sql).tail(n))
    case _ =>
      val df = spark.sql(sql)
      val rows = texts(df.collect())
      val own = collectWithSubqueries(executed(df)) {
        case w: WindowJoinNode => w
        case p: PaneWindowsExec => p
      }
      if (own.nonEmpty) shown.incrementAndGet()
      rows
  }

  private def differ(how: Taken, rows: Seq[String], found: Seq[String]): Option[String] =
    how match {
      case Taken.All => unlike(rows.sorted, found.sorted)
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
  private def smallest(of: Case, says: String): (Case, String) = {
    var found = (of, says)
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
    var i = 0
    while (i < cases && faults.size < MostFaults) {
      val drawn =
        new QueryGenerator(new Random(seed * 1000003L + i), tables.map(_._1)).next()
      try
        difference(drawn).foreach { says =>
          val (small, why) = smallest(drawn, says)
          faults += s"case $i of seed $seed: $why\n  $small\n"
          if (isCampaign) println(faults.last)
        }
      catch { case NonFatal(e) => faults += s"case $i of seed $seed: $e\n  $drawn" }
      i += 1
      if (isCampaign && i % 100 == 0)
        println(s"$i cases, ${faults.size} differ, ${seconds(begun)} s")
    }
    info(
      s"seed $seed: $i cases in ${seconds(begun)} s; $shown show one of our operators, $refused hints " +
        s"refused, $failing fail in both"
    )
    assert(faults.isEmpty, faults.mkString("\n"))
  }

  private def isCampaign = cases > 1000

  private def seconds(since: Long) = (System.nanoTime - since) / 1000000000L

  private val names = new AtomicInteger
  private val shown = new AtomicInteger
  private val refused = new AtomicInteger
  private val failing = new AtomicInteger
}

private object StandsAroundSuite {
  val Schema: StructType = new StructType()
    .add("a", LongType)
    .add("b", LongType)
    .add("t", TimestampType)
    .add("v", StringType)

  val MostTries = 150
  val MostFaults = 12

  /** As the environment or the JVM's properties have it. */
  def number(name: String, default: Int): Int = {
    val set = sys.props.get(s"scalegate.around.$name")
      .orElse(sys.env.get(s"SCALEGATE_AROUND_${name.toUpperCase}"))
    set.fold(default)(_.toInt)
  }
}
