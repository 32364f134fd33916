package io.scalegate.spark.around

import java.sql.Timestamp

import scala.util.Random

import io.scalegate.spark.settings.ScaleGateConf

/** Draws queries over streams with one to three operators of this package, what may stand below and above them, and
  * rows of which none is late: so the result is that of the same query over the same rows at rest.
  */
final class StreamQueryGenerator(random: Random) {
  import StreamQueryGenerator._

  private[this] def oneOf[T](from: Seq[T]): T = from(random.nextInt(from.size))
  private[this] def chance(percent: Int): Boolean = random.nextInt(100) < percent

  def next(): StreamCase = {
    val settings = drawnSettings()
    random.nextInt(100) match {
      case n if n < 12 =>
        at(if (chance(35)) pairs() else windows(below, once = false).query, "update", settings)
      case n if n < 24 => at(ordered(windows(below, once = false).query), "complete", settings)
      case _ => at(appended(), "append", settings)
    }
  }

  private[this] def at(query: Query, mode: String, settings: Map[String, String]): StreamCase = {
    val arrivals = Seq.fill(2 + random.nextInt(4))(()).scanLeft((Arrival(Map.empty), 0L)) {
      case ((_, from), _) => (arrival(from), from + random.nextInt(MostApart))
    }.tail.map(_._1)
    val restarts = arrivals.indices.filter(i => i > 0 && chance(20)).toSet
    val sink = if (mode == "append") oneOf(AppendSinks)
    else if (mode == "complete" && chance(30)) "memory"
    else "collected"
    StreamCase(
      query,
      mode,
      StreamCase.Output(
        sink,
        Option.when(mode == "append" && chance(6))(oneOf(Seq(1, 4, 20)))
      ),
      arrivals,
      if (sink == "memory") Set.empty else restarts,
      settings
    )
  }

  private[this] def drawnSettings(): Map[String, String] = {
    val providers = "org.apache.spark.sql.execution.streaming.state."
    val all = Seq(
      "spark.sql.streaming.stateStore.providerClass" ->
        Seq("HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider").map(providers + _),
      "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> Seq(
        "true",
        "false"
      ),
      "spark.sql.shuffle.partitions" -> Seq("1", "2", "3"),
      "spark.sql.codegen.wholeStage" -> Seq("true", "false", "false"),
      "spark.sql.codegen.factoryMode" -> Seq("FALLBACK", "NO_CODEGEN"),
      "spark.sql.ansi.enabled" -> Seq("true", "false"),
      "spark.sql.session.timeZone" -> Seq("UTC", "America/New_York", "Asia/Kolkata"),
      "spark.sql.streaming.noDataMicroBatches.enabled" -> Seq("true", "false"),
      "spark.sql.streaming.multipleWatermarkPolicy" -> Seq("min", "max"),
      "spark.sql.constraintPropagation.enabled" -> Seq("true", "false"),
      "spark.sql.autoBroadcastJoinThreshold" -> Seq("-1", "10MB"),
      ScaleGateConf.SplitHotKeys -> Seq("true", "false"),
      ScaleGateConf.KeptTableBytes -> Seq("0", "0", "128m"),
      ScaleGateConf.CellThreads -> Seq("1", "3"),
      ScaleGateConf.MinOverlap -> Seq("1", "2")
    )
    all.filter(_ => chance(35)).map { case (k, values) => k -> oneOf(values) }.toMap
  }

  // ---- rows ----

  private[this] def arrival(from: Long): Arrival = Arrival(
    StreamCase.Streams.map { stream =>
      stream -> Seq.fill(if (chance(20)) 0 else random.nextInt(MostRows))(row(from))
    }.toMap
  )

  private[this] def row(from: Long): StreamRow = {
    def orNone[T](value: T) = Option.when(random.nextInt(12) > 0)(value)
    // Some in the same millisecond, and some a little before or after a second.
    val at = Start + from + (if (chance(60)) 1000L * random.nextInt(Span / 1000)
                             else random.nextInt(Span))
    StreamRow(
      orNone(random.nextInt(12).toLong),
      orNone(random.nextInt(8).toLong),
      orNone(new Timestamp(at)).orNull,
      orNone(s"n${random.nextInt(4)}")
    )
  }

  // ---- what stands below ----

  /** @param timed
    *   whether its column `t` is an event time, by which what stands above can end
    */
  final private[this] class Drawn(val query: Query, val timed: Boolean)

  private[this] def drawn(query: Query, timed: Boolean) = new Drawn(query, timed)

  private[this] def over(input: Drawn)(query: Query => Query) =
    drawn(query(input.query), input.timed)

  /** A stream with its watermark. The rows that push the watermark at the end go no further. */
  private[this] def stream(): Drawn = {
    val name = oneOf(StreamCase.Streams)
    val delay = oneOf(Seq("30 SECONDS", "40 SECONDS", "1 MINUTE"))
    val mark = s"DELAY OF INTERVAL $delay"
    val text = random.nextInt(20) match {
      case 0 | 1 | 2 =>
        s"SELECT a, b, t, v FROM (SELECT a + 1 AS a, b, t + INTERVAL 1 SECOND AS t, v FROM $name) WATERMARK t $mark"
      case 3 | 4 =>
        s"SELECT a, b, e AS t, v FROM $name WATERMARK t - INTERVAL 1 SECOND AS e $mark"
      case 5 => s"SELECT a, b, t, v FROM $name"
      case 6 | 7 | 8 =>
        s"SELECT b AS a, a AS b, t, v FROM (SELECT * FROM $name WATERMARK t $mark)"
      case _ => s"SELECT a, b, t, v FROM $name WATERMARK t $mark"
    }
    def ended(text: String) = s"SELECT * FROM ($text) WHERE t IS NULL OR t < $End"
    val simple = s"SELECT a, b, t, v FROM $name WATERMARK t DELAY OF INTERVAL 30 SECONDS"
    val simpler =
      if (text == simple) Nil else Seq(Query(s"stream $name")((_, _) => ended(simple)))
    val label = s"stream $name"
    drawn(new Query(label, Nil, simpler, (_, _) => ended(text)), text.contains("WATERMARK"))
  }

  private[this] def below: Drawn = {
    val input = stream()
    random.nextInt(22) match {
      case 0 => over(input)(filter)
      case 1 => over(input)(projected)
      case 2 => over(input)(renamed)
      case 3 => over(input)(kept("view"))
      case 4 => union(input, stream())
      case 5 => over(input)(exploded)
      case 6 => over(input)(withTable)
      case 7 => over(input)(udf)
      case 8 => distinct(input)
      case 9 => over(input)(known)
      case 10 | 11 => over(input)(withTable)
      case _ => input
    }
  }

  // ---- our operators ----

  private[this] val All = Seq("INNER", "INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")

  private[this] val Paired = Set("INNER", "LEFT SEMI")

  private[this] def join(l: Drawn, r: Drawn, types: Seq[String] = All): Drawn = {
    // Rows of a join whose inputs do not both end are unmatched for ever.
    val how = oneOf(if (l.timed && r.timed) types else types.filter(Paired))
    val (x, y) = (random.nextInt(4), random.nextInt(4))
    val near = oneOf(
      Seq(
        s"r.t BETWEEN l.t - INTERVAL $x SECONDS AND l.t + INTERVAL $y SECONDS",
        s"r.t BETWEEN l.t - INTERVAL $x SECONDS AND l.t + INTERVAL $y SECONDS",
        s"l.t >= r.t + INTERVAL $x SECONDS AND r.t + INTERVAL ${x + y} SECONDS >= l.t",
        s"r.t > l.t AND r.t < l.t + INTERVAL ${y + 1} SECONDS",
        s"r.t - l.t BETWEEN INTERVAL -$x SECONDS AND INTERVAL $y SECONDS",
        "l.t = r.t"
      )
    )
    val keyed =
      if (chance(40))
        oneOf(Seq("l.v = r.v AND ", "l.b % 4 = r.b % 4 AND ", "r.a = l.a AND l.v = r.v AND "))
      else ""
    val band =
      if (chance(50))
        oneOf(
          Seq(
            " AND abs(l.a - r.a) <= 2",
            " AND l.a - r.a BETWEEN -1 AND 3",
            " AND l.a <= r.b AND r.a <= l.b + 4",
            " AND CAST(l.b AS DOUBLE) - r.b BETWEEN -1.5D AND 0.5D",
            " AND l.a BETWEEN r.a - 2 AND r.a + 2 AND abs(l.b - r.b) <= 3"
          )
        )
      else ""
    // Equal times alone are Spark's to join, whose join of streams fails where its condition has a subquery.
    val subquery =
      if (near == "l.t = r.t") Nil else Seq(" AND l.a < r.b + (SELECT max(b) FROM known)")
    val rest =
      if (chance(30))
        oneOf(
          Seq(
            " AND l.v <> r.v",
            " AND same(l.b) <= r.b + 3",
            " AND (l.a + r.b) % 2 = 0"
          ) ++ subquery
        )
      else ""
    val hint = if (chance(25)) oneOf(Hints) else ""
    val chosen = columns(how)
    val query = Query(s"$how join", l.query, r.query) { (in, from) =>
      val asked = if (in.isPlain) "" else hint
      s"SELECT $asked$chosen FROM (${from(0)}) l $how JOIN (${from(1)}) r ON $keyed$near$band$rest"
    }
    drawn(query, l.timed && r.timed)
  }

  private[this] def columns(how: String): String =
    if (how.endsWith("SEMI") || how.endsWith("ANTI")) "l.a, l.b, l.t, l.v"
    else oneOf(Seq(
      "l.a, r.b, l.t, r.v",
      "l.a, l.b, r.t, r.v",
      "r.a, r.b, r.t, l.v",
      "r.a, l.b, l.t, l.v"
    ))

  private[this] def asOf(l: Drawn, r: Drawn): Drawn = {
    val how = oneOf(Seq("INNER", "LEFT", "LEFT SEMI", "LEFT ANTI"))
    val direction = oneOf(Seq("backward", "backward", "forward"))
    val reach =
      if (direction == "backward" && chance(50)) "NULL"
      else s"INTERVAL ${1 + random.nextInt(6)} SECONDS"
    val exact = chance(70)
    val keyed = oneOf(Seq("", "l.v = r.v AND ", "l.b % 4 = r.b % 4 AND "))
    val rest =
      if (reach != "NULL" && chance(40))
        oneOf(Seq(" AND l.v <> r.v", " AND same(l.b) <= r.b + 3"))
      else if (chance(20)) " AND r.a > 2"
      else ""
    val query = Query(s"$how join as of t, $direction", l.query, r.query)(
      AsOfText(
        how,
        "t",
        direction,
        1,
        exact,
        reach,
        keyed,
        rest,
        columns(how)
      ).sql
    )
    drawn(query, timed = true)
  }

  /** Aggregates of the right rows in an interval around each left row, or in two. */
  private[this] def aggregates(l: Drawn, r: Drawn): Drawn = {
    def interval = {
      val (x, y) = (random.nextInt(5), random.nextInt(4))
      oneOf(
        Seq(
          s"r.t BETWEEN l.t - INTERVAL $x SECONDS AND l.t + INTERVAL $y SECONDS",
          s"r.t >= l.t - INTERVAL ${x + 1} SECONDS AND r.t < l.t",
          s"r.t BETWEEN l.t + INTERVAL $y SECONDS AND l.t + INTERVAL ${x + y} SECONDS"
        )
      )
    }
    val (near, another) = (interval, interval)
    val keyed = oneOf(Seq("", "l.v = r.v AND ", "l.b % 4 = r.b % 4 AND "))
    val own = if (chance(25)) " AND r.b > 3" else ""
    val function = oneOf(
      Seq(
        "count(*)",
        "sum(r.a)",
        "max(r.b) + 1",
        "count(r.b) FILTER (WHERE r.a > 5)",
        "size(collect_list(r.a))"
      )
    )
    val isOne = chance(50)
    val query = Query("aggregates around rows", l.query, r.query) { (_, from) =>
      val (left, right) = (from(0), from(1))
      def of(what: String, within: String) =
        s"LATERAL (SELECT bigint($what) AS n FROM ($right) r WHERE $keyed$within$own)"
      val first = s"($left) l, ${of(function, near)} x"
      if (isOne) s"SELECT l.a, x.n AS b, l.t, l.v FROM $first"
      else
        s"SELECT l.a, coalesce(x.n, 0) * 7 + y.n AS b, l.t, l.v FROM $first, ${of("count(r.a)", another)} y"
    }
    drawn(query, timed = true)
  }

  /** A join within a time, or, where both inputs end, one with the nearest row, or with what is made of rows. */
  private[this] def joined(l: Drawn, r: Drawn): Drawn =
    if (!l.timed || !r.timed) join(l, r)
    else
      random.nextInt(100) match {
        case n if n < 20 => asOf(l, r)
        case n if n < 40 => aggregates(l, r)
        case n if n < 50 => cube(l, r)
        case _ => join(l, r)
      }

  /** An inner join of these and a third by a cube of workers; plain Spark joins two and then the third. */
  private[this] def cube(l: Drawn, m: Drawn): Drawn = {
    val r = below
    val nearer = oneOf(
      Seq(
        "r.t BETWEEN m.t - INTERVAL 3 SECONDS AND m.t",
        "r.t BETWEEN l.t - INTERVAL 1 SECOND AND l.t + INTERVAL 5 SECONDS",
        "r.t > m.t AND r.t < m.t + INTERVAL 2 SECONDS AND r.t - l.t BETWEEN INTERVAL -3 SECONDS AND INTERVAL 4 SECONDS",
        "r.t = l.t"
      )
    )
    val bands = oneOf(Seq("", " AND abs(l.b - r.b) <= 5", " AND m.a - l.a BETWEEN -9 AND 3"))
    val rest = oneOf(
      Seq(
        "",
        " AND l.v = r.v",
        " AND same(m.b) <> r.b",
        " AND m.a < r.b + (SELECT max(b) FROM known)"
      )
    )
    val wanted =
      oneOf(Seq("l.a, m.b, r.t, l.v", "r.a, r.b, l.t, m.v", "m.a, l.b, m.t, r.v"))
    val layout = oneOf(Seq("", "('2x1x1')", "('1x3x2')"))
    val query = Query(s"cube $layout", l.query, m.query, r.query) { (in, from) =>
      val hint = if (in.isPlain) "" else s"/*+ CUBE_JOIN$layout */ "
      s"SELECT $hint$wanted FROM (${from(0)}) l JOIN (${from(1)}) m " +
        "ON m.t BETWEEN l.t - INTERVAL 2 SECONDS AND l.t + INTERVAL 4 SECONDS " +
        s"JOIN (${from(2)}) r ON $nearer$bands$rest"
    }
    drawn(query, l.timed && m.timed && r.timed)
  }

  /** In plain Spark the places of the rows in the order of both inputs are counted. Rows of a window that is still open
    * at the end are undecided, so the types of joins are those that give pairs.
    */
  private[this] def rowWindow(l: Drawn, r: Drawn): Drawn = {
    val (ofLeft, ofRight) = (1 + random.nextInt(4), random.nextInt(5))
    val n = if (ofLeft == ofRight) ofLeft.toString else s"array($ofLeft, $ofRight)"
    val how = oneOf(Seq("INNER", "INNER", "LEFT SEMI"))
    val wanted = columns(how)
    val hint = if (chance(40)) oneOf(OfRows) else ""
    val query = Query(s"$how join over rows", l.query, r.query) { (in, from) =>
      if (!in.isPlain)
        s"SELECT $hint$wanted FROM (${from(0)}) l $how JOIN (${from(1)}) r ON within_rows(l.t, r.t, $n) AND abs(l.b - r.b) <= 2"
      else {
        def seen(side: Int, as: String) =
          s"count_if(side = $side AND t IS NOT NULL) OVER (ORDER BY t, side, a, b, v ROWS UNBOUNDED PRECEDING) AS $as"
        val (left, right) = (from(0), from(1))
        def placed(side: Int) =
          s"(SELECT * FROM (SELECT *, ${seen(0, "ls")}, ${seen(1, "rs")} FROM (SELECT 0 AS side, a, b, t, v FROM ($left) " +
            s"UNION ALL SELECT 1 AS side, a, b, t, v FROM ($right))) WHERE side = $side)"
        s"SELECT $wanted FROM ${placed(0)} l $how JOIN ${placed(1)} r ON l.t IS NOT NULL AND r.t IS NOT NULL AND " +
          s"((r.rs <= l.rs AND r.rs > l.rs - $ofRight) OR (l.ls <= r.ls AND l.ls > r.ls - $ofLeft)) AND abs(l.b - r.b) <= 2"
      }
    }
    drawn(query, timed = false)
  }

  private[this] val OfRows =
    Seq("pim", "scalejoin(threads=2)", "bplus").map(operator =>
      s"/*+ WINDOW_JOIN('$operator') */ "
    )

  /** @param once
    *   whether each window is given once, as a design of the papers has it
    */
  private[this] def windows(input: Drawn, once: Boolean = true): Drawn = {
    val slide = oneOf(Seq(1, 2, 5))
    val size = if (chance(20)) slide else slide + 1 + random.nextInt(slide * 4)
    val by = s"window(t, '$size seconds', '$slide seconds', '${random.nextInt(slide)} seconds')"
    val (a, b) = oneOf(
      Seq(
        "count(*)" -> "sum(b)",
        "max(a)" -> "count(v)",
        "sum(a) + 1" -> "min(b)",
        "avg(a)" -> "size(collect_set(b))",
        "first_by_time(a, t)" -> "last_by_time(b, t)",
        "max(length(v))" -> "count(b) FILTER (WHERE a > 3)"
      )
    )
    val (label, key, group) =
      oneOf(Seq(("windows", "'all'", ""), ("windows by v", "v", ", v")))
    val having = if (chance(15)) " HAVING count(*) > 1" else ""
    val timed = chance(70)
    val at = if (timed) "window_time(w)" else "w.start"
    val hint =
      if (once && size > slide && !b.contains("collect") && chance(30))
        s"/*+ WINDOW_DESIGN('${oneOf(Designs)}') */ "
      else ""
    val query = Query(label, input.query) { (in, from) =>
      val asked = if (in.isPlain) "" else hint
      s"SELECT bigint(a) AS a, bigint(b) AS b, $at AS t, v FROM (SELECT $asked$a AS a, $b AS b, window AS w, $key AS v " +
        s"FROM (${from(0)}) GROUP BY $by$group$having)"
    }
    drawn(query, timed && input.timed)
  }

  private[this] val Designs =
    Seq("mq", "mqlf(inputs=2)", "tumlsc", "tumlmc(threads=2)", "wiml(inputs=3, panes=true)")

  // ---- whole queries ----

  /** An inner or a semi join, which may be written in update mode. */
  private[this] def pairs(): Query = join(below, below, Seq("INNER", "LEFT SEMI")).query

  private[this] def appended(): Query = {
    val inner = random.nextInt(100) match {
      case n if n < 55 => joined(below, below)
      case n if n < 65 => rowWindow(below, below)
      case n if n < 78 => windows(below)
      case n if n < 86 => joined(windows(below), below)
      case n if n < 93 => joined(wrapped(joined(below, below), random.nextInt(2)), below)
      case _ => joined(below, windows(joined(below, below)))
    }
    val whole = wrapped(inner, random.nextInt(3))
    (if (whole.timed && chance(25)) wrapped(windows(whole), random.nextInt(2)) else whole).query
  }

  private[this] def wrapped(input: Drawn, times: Int): Drawn =
    if (times == 0) input else wrapped(wrap(input), times - 1)

  private[this] def wrap(input: Drawn): Drawn = random.nextInt(14) match {
    case 0 => over(input)(filter)
    case 1 => over(input)(projected)
    case 2 => over(input)(renamed)
    case 3 => over(input)(kept("view"))
    case 4 => union(input, below)
    case 5 => over(input)(exploded)
    case 6 => over(input)(withTable)
    case 7 => over(input)(udf)
    case 8 => over(input)(known)
    case 9 => over(input)(shifted)
    case _ => distinct(input)
  }

  // ---- what stands around ----

  private[this] def one(label: String, input: Query)(text: String => String): Query =
    Query(label, input)((_, in) => text(in(0)))

  private[this] def filter(input: Query): Query = {
    val on = oneOf(
      Seq(
        "a % 3 = 1",
        "b IS NOT NULL",
        "v > 'n1'",
        "t IS NULL OR a < 8",
        "t > TIMESTAMP '2020-01-01 00:00:03Z'",
        "false",
        "same(a) < 9"
      )
    )
    one("filter", input)(q => s"SELECT a, b, t, v FROM ($q) WHERE $on")
  }

  private[this] def projected(input: Query): Query =
    one("projection", input)(q => s"SELECT b AS a, a % 7 AS b, t, concat(v, 'x') AS v FROM ($q)")

  private[this] def shifted(input: Query): Query =
    one("projection of time", input)(q =>
      s"SELECT a, a AS b, t, string(date_trunc('MINUTE', t + INTERVAL 1 SECOND)) AS v FROM ($q)"
    )

  private[this] def renamed(input: Query): Query =
    one("alias", input)(q =>
      s"SELECT x.p AS a, x.q AS b, x.at AS t, x.w AS v FROM (SELECT a AS p, b AS q, t AS at, v AS w FROM ($q)) x"
    )

  private[this] def kept(how: String)(input: Query): Query =
    Query(how, input)((in, from) => s"SELECT a, b, t, v FROM ${in.keep(how, from(0))}")

  private[this] def union(l: Drawn, r: Drawn): Drawn = {
    val query = Query("union", l.query, r.query)((_, in) =>
      s"SELECT * FROM (${in(0)}) UNION ALL SELECT * FROM (${in(1)})"
    )
    drawn(query, l.timed && r.timed)
  }

  private[this] def exploded(input: Query): Query = one("explode", input)(q =>
    s"SELECT a, n AS b, t, v FROM ($q) LATERAL VIEW explode(array(b, 1L)) e AS n"
  )

  private[this] def udf(input: Query): Query =
    one("UDF", input)(q =>
      s"SELECT same(a) AS a, b, t, marked(v) AS v FROM ($q) WHERE same(b) < 50"
    )

  /** A join with a table at rest, which is one of batches. */
  private[this] def withTable(input: Query): Query = {
    val (how, chosen) = oneOf(
      Seq(
        "JOIN" -> "x.a, y.b, x.t, y.v",
        "LEFT JOIN" -> "x.a, y.b, x.t, y.v",
        "LEFT SEMI JOIN" -> "x.a, x.b, x.t, x.v",
        "LEFT ANTI JOIN" -> "x.a, x.b, x.t, x.v"
      )
    )
    val on = oneOf(
      Seq(
        "x.v = y.v",
        "x.a BETWEEN y.a - 1 AND y.a + 1",
        "x.v = y.v AND abs(x.a - y.a) <= 4",
        "y.t BETWEEN x.t - INTERVAL 3 SECONDS AND x.t + INTERVAL 3 SECONDS AND x.v <> y.v",
        "abs(x.a - y.a) <= 3 AND y.b - x.b BETWEEN -2 AND 2",
        "x.a <= y.b AND y.a <= x.b + 2",
        "x.v = y.v AND x.a <= y.b AND y.a <= x.b + 4",
        "x.a BETWEEN y.a AND y.a + 3 AND x.b < y.a + (SELECT max(b) FROM known)"
      )
    )
    val hint =
      if (chance(20) && on != "x.v = y.v")
        oneOf(Seq("WINDOW_JOIN", "WINDOW_JOIN('broadcast')", "BROADCAST(y)"))
      else ""
    Query(s"$how with a table", input) { (in, from) =>
      val asked = if (in.isPlain || hint.isEmpty) "" else s"/*+ $hint */ "
      s"SELECT $asked$chosen FROM (${from(0)}) x $how known y ON $on"
    }
  }

  private[this] def known(input: Query): Query = {
    val where = oneOf(
      Seq(
        "a IN (SELECT a FROM known)",
        "a NOT IN (SELECT a FROM known WHERE a IS NOT NULL)",
        "EXISTS (SELECT * FROM known k WHERE k.a BETWEEN q.a - 1 AND q.a)",
        "b < (SELECT max(b) FROM known)"
      )
    )
    one("subquery of a table", input)(q => s"SELECT a, b, t, v FROM ($q) q WHERE $where")
  }

  /** Rows without a time are never given by DISTINCT, which waits for the watermark. */
  private[this] def distinct(input: Drawn): Drawn = {
    def some(q: String) = s"SELECT * FROM ($q) WHERE t IS NOT NULL"
    def keptBy(how: String) =
      Query(how, input.query)((in, from) =>
        s"SELECT a, b, t, v FROM ${in.keep(how, some(from(0)))}"
      )
    random.nextInt(5) match {
      case 0 | 1 => drawn(
          one("distinct", input.query)(q => s"SELECT DISTINCT a, b, t, v FROM (${some(q)})"),
          input.timed
        )
      case 2 => drawn(keptBy("without duplicates"), input.timed)
      case 3 => drawn(keptBy("without duplicates within the watermark"), input.timed)
      case _ =>
        val few = one("few columns", input.query)(q =>
          s"SELECT a, 0L AS b, CAST(NULL AS TIMESTAMP) AS t, v FROM ($q)"
        )
        val once = Query("without duplicates by a, v", few)((in, from) =>
          s"SELECT a, b, t, v FROM ${in.keep("without duplicates by a, v", from(0))}"
        )
        drawn(once, timed = false)
    }
  }

  private[this] def ordered(input: Query): Query = {
    val part = oneOf(Seq("", "LIMIT 3", "LIMIT 3 OFFSET 2"))
    if (chance(30)) input
    else one("order", input)(q => s"SELECT a, b, t, v FROM ($q) ORDER BY t, v, a DESC, b $part")
  }
}

object StreamQueryGenerator {

  /** The first time, in milliseconds. */
  val Start = 1577836800000L

  /** In milliseconds: the times of a batch's rows, and how far the next batch begins after it at most. Every delay is
    * longer than both and what projections add.
    */
  private val Span = 9000
  private val MostApart = 7000

  private val MostRows = 14

  /** Rows from here on only push the watermark. */
  private val End = "TIMESTAMP '2030-01-01 00:00:00Z'"
  val EndMillis = 1893456000000L

  private val Hints = Seq(
    "/*+ WINDOW_JOIN */ ",
    "/*+ WINDOW_JOIN(l, r, 'ordered') */ ",
    "/*+ WINDOW_JOIN(l, r, 'index') */ ",
    "/*+ WINDOW_JOIN(l, r, '2x1') */ ",
    "/*+ WINDOW_JOIN(l, r, '1x2') */ ",
    "/*+ WINDOW_JOIN(l, r, 'sweep') */ "
  )

  /** Most collect the rows of each batch. */
  private val AppendSinks =
    Seq.fill(4)("collected") ++ Seq("collected twice", "queried", "file", "memory")
}
