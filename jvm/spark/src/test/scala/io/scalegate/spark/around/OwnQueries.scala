package io.scalegate.spark.around

/** Draws the operators of this package: joins of every kind and by every algorithm, of three inputs too, and aggregates
  * over sliding windows and of the rows around.
  */
final class OwnQueries(draw: Draw) {
  import draw.{below => number, chance, oneOf}

  def join(l: Query, r: Query): Query = {
    val how =
      oneOf(Seq("INNER", "INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI", "CROSS"))
    val kind = number(100)
    if (kind < 10) rowWindow(l, r, if (how == "CROSS") "INNER" else how)
    else if (kind < 24) asOf(l, r, how)
    else if (kind < 34) aggregates(l, r)
    else {
      val overlap = "l.a <= r.b AND r.a <= l.b"
      val compared = "l.a < r.a AND l.b >= r.b"
      val near = oneOf(
        Seq(
          s"l.a - r.a BETWEEN -${number(4)} AND ${number(5)}",
          s"abs(l.b - r.b) <= ${number(3)}",
          "r.t BETWEEN l.t - INTERVAL 3 SECONDS AND l.t + INTERVAL 5 SECONDS",
          "CAST(l.b AS DOUBLE) - r.b BETWEEN -1.5D AND 0.5D",
          "l.a BETWEEN r.a - 2 AND r.a + 2 AND abs(l.b - r.b) <= 5",
          overlap,
          compared,
          "same(l.a) - r.a BETWEEN -1 AND 1"
        )
      )
      val keyed =
        if (chance(35)) oneOf(Seq("l.v = r.v AND ", "l.b % 4 = r.b % 4 AND ")) else ""
      val rest =
        if (chance(25)) oneOf(Seq(" AND l.v <> r.v", " AND same(l.b) <= r.b + 30")) else ""
      val hint = hinted(keyed.nonEmpty, near == overlap || near == compared)
      val chosen = columns(how)
      Query(s"$how join $hint", l, r) { (_, in) =>
        s"SELECT $hint$chosen FROM (${in(0)}) l $how JOIN (${in(1)}) r ON $keyed$near$rest"
      }
    }
  }

  /** A join by keys is one of ours where the time bound cannot fail, or where a hint asks for it: most have one. An
    * algorithm that cannot run the join is refused, which other suites test.
    */
  private[this] def hinted(isKeyed: Boolean, isCompared: Boolean): String = {
    val possible = Seq(
      "'sweep'" -> !isCompared,
      "'index'" -> (isKeyed || !isCompared),
      "'matrix'" -> !isKeyed,
      "'broadcast'" -> true
    ).collect { case (name, true) => name }
    if (!chance(if (isKeyed) 90 else 60)) ""
    else if (chance(25)) "/*+ WINDOW_JOIN */ "
    else s"/*+ WINDOW_JOIN(${oneOf(possible)}) */ "
  }

  private[this] def columns(how: String): String =
    if (how.endsWith("SEMI") || how.endsWith("ANTI")) "l.a, l.b, l.t, l.v"
    else oneOf(Seq("l.a, r.b, l.t, r.v", "l.a, l.b, r.t, r.v", "r.a, r.b, r.t, l.v"))

  /** In plain Spark the places of the rows in the order of both inputs are counted. */
  private[this] def rowWindow(l: Query, r: Query, how: String): Query = {
    val (ofLeft, ofRight) = (number(5), 1 + number(4))
    val n = if (ofLeft == ofRight) ofLeft.toString else s"array($ofLeft, $ofRight)"
    val wanted = columns(how)
    val perKey = chance(40)
    val (keys, part, same) =
      if (perKey) (", l.v, r.v", "PARTITION BY v ", "l.v = r.v AND ") else ("", "", "")
    Query(s"$how join over $n rows${if (perKey) " per key" else ""}", l, r) { (in, from) =>
      if (!in.isPlain)
        s"SELECT $wanted FROM (${from(0)}) l $how JOIN (${from(1)}) r ON " +
          s"within_rows(l.t, r.t, $n$keys) AND abs(l.b - r.b) <= 9"
      else {
        val (left, right) = (from(0), from(1))
        def placed(side: Int) =
          s"(SELECT * FROM (SELECT *, " +
            "count_if(side = 0 AND t IS NOT NULL) OVER counted AS ls, " +
            "count_if(side = 1 AND t IS NOT NULL) OVER counted AS rs " +
            s"FROM (SELECT 0 AS side, a, b, t, v FROM ($left) UNION ALL SELECT 1 AS side, a, b, t, v FROM ($right)) " +
            s"WINDOW counted AS (${part}ORDER BY t, side, a, b, v ROWS UNBOUNDED PRECEDING)) WHERE side = $side)"
        s"SELECT $wanted FROM ${placed(0)} l $how JOIN ${placed(1)} r ON ${same}l.t IS NOT NULL AND r.t IS NOT NULL AND " +
          s"((r.rs <= l.rs AND r.rs > l.rs - $ofRight) OR (l.ls <= r.ls AND l.ls > r.ls - $ofLeft)) AND abs(l.b - r.b) <= 9"
      }
    }
  }

  private[this] def asOf(l: Query, r: Query, drawn: String): Query = {
    val how = drawn match {
      case "RIGHT" | "FULL" => "LEFT"
      case "CROSS" => "INNER"
      case other => other
    }
    val direction = oneOf(Seq("backward", "backward", "forward", "forward", "nearest"))
    val most = draw.weighted(3 -> 1, 1 -> 2, 1 -> 4)
    val exact = chance(70)
    val (time, reach) =
      oneOf(Seq("t" -> "INTERVAL 7 SECONDS", "t" -> "NULL", "a" -> "5", "b" -> "NULL"))
    val keyed = oneOf(Seq("", "l.v = r.v AND ", "l.b % 4 = r.b % 4 AND "))
    val rest = if (chance(30)) oneOf(Seq(" AND l.v <> r.v", " AND same(l.b) <= r.b + 5")) else ""
    val wanted = columns(how)
    Query(s"$how join with the $most nearest by $time, $direction", l, r)(
      AsOfText(how, time, direction, most, exact, reach, keyed, rest, wanted).sql
    )
  }

  /** An inner join of three by a cube of workers; plain Spark joins two and then the third. */
  def cube(l: Query, m: Query, r: Query): Query = {
    val (near, nearer) = oneOf(
      Seq(
        "m.t BETWEEN l.t - INTERVAL 2 SECONDS AND l.t + INTERVAL 4 SECONDS" ->
          "r.t BETWEEN m.t - INTERVAL 3 SECONDS AND m.t",
        "abs(l.a - m.a) <= 2" -> "r.a BETWEEN m.a - 1 AND m.a + 2",
        "l.b - m.b BETWEEN -1 AND 2" -> "l.b - r.b BETWEEN 0 AND 2"
      )
    )
    val bands = oneOf(Seq("", " AND abs(l.b - r.b) <= 5", " AND m.a - l.a BETWEEN -9 AND 3"))
    val rest = oneOf(Seq("", " AND l.v = r.v", " AND same(m.b) <> r.b", " AND m.v <> r.v"))
    val wanted = oneOf(Seq("l.a, m.b, r.t, l.v", "r.a, r.b, l.t, m.v"))
    val layout = oneOf(Seq("", "('2x1x1')", "('1x3x2')"))
    Query(s"cube $layout", l, m, r) { (in, from) =>
      val hint = if (in.isPlain) "" else s"/*+ CUBE_JOIN$layout */ "
      s"SELECT $hint$wanted FROM (${from(0)}) l JOIN (${from(1)}) m ON $near JOIN (${from(2)}) r ON $nearer$bands$rest"
    }
  }

  /** Aggregates of the right rows around each left one, in `LATERAL`, as a value, and in a filter. None of them is a
    * function of Scala's, of which Spark gives NULL for no rows in the value of a subquery, whatever it says itself.
    */
  private[this] def aggregates(l: Query, r: Query): Query = {
    val function = oneOf(
      Seq(
        "count(*)",
        "max(r.a)",
        "sum(r.b) + 1",
        "count(r.b) FILTER (WHERE r.a > 5)",
        "bigint(avg(r.b))",
        "min(same(r.b))",
        "sum(DISTINCT r.a)",
        "approx_count_distinct(r.v)"
      )
    )
    def intervals = Seq(
      s"l.a - r.a BETWEEN -${number(4)} AND ${number(5)}",
      s"abs(l.b - r.b) <= ${number(3)}",
      "r.t BETWEEN l.t - INTERVAL 3 SECONDS AND l.t + INTERVAL 5 SECONDS",
      "r.t < l.t AND r.t >= l.t - INTERVAL 7 SECONDS",
      "l.a BETWEEN r.a - 2 AND r.a + 2 AND l.v <> r.v"
    )
    val kind = number(intervals.size)
    val (near, another) =
      (intervals(kind), intervals(if (kind > 1 && kind < 4) 5 - kind else kind))
    val keyed = oneOf(Seq("", "l.v = r.v AND ", "l.b % 4 = r.b % 4 AND "))
    val own = if (chance(30)) " AND r.b > 3" else ""
    val form = number(5)
    Query(s"aggregates around rows, form $form", l, r) { (in, from) =>
      val value =
        s"(SELECT bigint($function) AS b FROM (${from(1)}) r WHERE $keyed$near$own)"
      // Plain Spark forgets the order of a left side that is ordered and limited.
      val left =
        if (in.isPlain) in.keep("local checkpoint", s"SELECT a, b, t, v FROM (${from(0)})")
        else from(0)
      form match {
        case 0 => s"SELECT l.a, x.b, l.t, l.v FROM ($left) l, LATERAL $value x"
        case 1 => s"SELECT l.a, $value AS b, l.t, l.v FROM ($left) l"
        case 2 => s"SELECT l.a, l.b, l.t, l.v FROM ($left) l WHERE l.a > 30 OR $value > l.b"
        case 3 =>
          val counted = s"(SELECT count(r.b) AS n FROM (${from(1)}) r WHERE $keyed$another$own)"
          s"SELECT l.a, coalesce(x.b, 0) * 7 + y.n AS b, l.t, l.v FROM ($left) l, LATERAL $value x, LATERAL $counted y"
        case _ =>
          s"SELECT l.a, bigint($function) AS b, l.t, l.v FROM ($left) l JOIN (${from(1)}) r ON $keyed$near$own " +
            "GROUP BY l.a, l.t, l.v"
      }
    }
  }

  def windows(input: Query): Query = {
    val slide = oneOf(Seq(2, 5, 10))
    val size = if (chance(10)) slide + 1 else 2 * slide + number(slide * 4)
    val by = s"window(t, '$size seconds', '$slide seconds', '${number(slide)} seconds')"
    val functions = oneOf(
      Seq(
        "count(*)" -> "sum(b)",
        "max(a)" -> "count(v)",
        "total(a)" -> "min(b)",
        "count(b) FILTER (WHERE a > 5)" -> "total(same(b))",
        "sum(DISTINCT a)" -> "max(b)",
        "sum(a) + 1" -> "min(b)",
        "bigint(avg(a))" -> "max(same(b))"
      )
    )
    val (key, group, having) = oneOf(
      Seq(
        ("max(v)", "", ""),
        ("v", ", v", ""),
        ("v", ", v", " HAVING count(*) > 1"),
        ("string(b % 3)", ", b % 3", "")
      )
    )
    Query("windows", input) { (_, in) =>
      s"SELECT bigint(${functions._1}) AS a, bigint(${functions._2}) AS b, window.start AS t, $key AS v FROM (${in(0)}) " +
        s"GROUP BY $by$group$having"
    }
  }
}
