package io.scalegate.spark.join.asof

import org.apache.spark.sql.Row
import org.scalatest.Assertion

import io.scalegate.lookup.Direction
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.batch.LocalJoin

/** As-of joins and their definition in plain SQL: the pairs that the conditions let through, ranked. */
abstract class AsOfDefinitions extends SparkJoinSuite {
  protected val hows = Seq("INNER", "LEFT", "LEFT SEMI", "LEFT ANTI")

  /** Half of the types of join, and the others; over several numbers in a row each type is in both. */
  protected def halves(number: Int): (Seq[String], Seq[String]) = {
    val half = Seq(hows.take(2), hows.drop(2), Seq(hows.head, hows.last))(number % 3)
    (half, hows.diff(half))
  }

  /** @param time
    *   over a table's columns, with `§` for its name
    * @param distance
    *   of two times, as a number that is not rounded
    * @param reach
    *   a tolerance
    */
  protected case class Time(time: String, distance: String, reach: String) {
    def of(table: String): String = time.replace("§", table)
  }

  private[this] def numbers(column: String, reach: String) =
    Time(
      s"§.$column",
      s"if(a = b, 0D, abs(CAST(a AS DOUBLE) - CAST(b AS DOUBLE)))",
      reach
    )

  private[this] val micros = "abs(unix_micros(a) - unix_micros(b))"
  protected val times = Seq(
    "timestamps" -> Time("§.ts", micros, "INTERVAL 3 HOURS"),
    "timestamps in whole days" -> Time("§.ts", micros, "INTERVAL 1 DAY"),
    "times without a zone" ->
      Time(
        "§.tn",
        "abs(timestampdiff(MICROSECOND, CAST(a AS TIMESTAMP_NTZ), CAST(b AS TIMESTAMP_NTZ)))",
        "INTERVAL 3 HOURS"
      ),
    "dates" -> Time("§.d", "abs(datediff(a, b))", "INTERVAL 2 DAYS"),
    "integers" -> numbers("i", "3"),
    "long integers" -> numbers("l", "1"),
    "decimals" -> Time("§.m", "abs(a - b)", "1.5"),
    "floating-point numbers" -> numbers("f", "0.75"),
    "doubles" -> numbers("x", "0.3D"),
    "terms" -> Time(
      "§.ts + make_interval(0, 0, 0, 0, 0, §.id % 3, 0)",
      micros,
      "INTERVAL 1 HOUR"
    ),
    "dates and times" -> Time("CAST(§.ts AS DATE)", "abs(datediff(a, b))", "INTERVAL 1 DAY")
  )

  /** @param ties
    *   the right side's `id`, as a rule, so that there are none
    */
  protected case class Query(
      time: Time,
      direction: Direction,
      exact: Boolean = true,
      within: Boolean = false,
      keys: String = "l.k = q.k",
      more: String = "true",
      most: Int = 1,
      ties: String = "id"
  ) {
    private val (l, q) = (time.of("l"), time.of("q"))
    private val reach = if (within) time.reach else "NULL"

    def ours(how: String): String = {
      val marker =
        if (most == 1) s"asof($l, $q, '$direction', $reach, $exact, q.$ties)"
        else s"nearest($l, $q, $most, $reach, '$direction', $exact, q.$ties)"
      s"SELECT ${columns(how)} FROM r l $how JOIN s q ON $keys AND $marker AND $more"
    }

    /** The left and the right rows of all pairs. */
    def definition: String = {
      val order = direction match {
        case Direction.Backward => s"$q <= $l"
        case Direction.Forward => s"$q >= $l"
        case Direction.Nearest => "true"
      }
      val back = s"$q >= $l - ${time.reach}"
      val on = s"$q <= $l + ${time.reach}"
      val tolerance = direction match {
        case _ if !within => "true"
        case Direction.Backward => back
        case Direction.Forward => on
        case Direction.Nearest => s"$back AND $on"
      }
      val distance = time.distance
        .replaceAll("\\bb\\b", java.util.regex.Matcher.quoteReplacement(s"($q)"))
        .replaceAll("\\ba\\b", java.util.regex.Matcher.quoteReplacement(s"($l)"))
      val preferred = direction match {
        case Direction.Backward => s"$q DESC, q.$ties DESC"
        case Direction.Forward => s"$q, q.$ties"
        case Direction.Nearest =>
          s"$distance, if($q <= $l, 0, 1), if($q <= $l, $q, NULL) DESC, if($q <= $l, NULL, $q), " +
            s"if($q <= $l, -q.$ties, q.$ties)"
      }
      val pairs =
        s"SELECT l.id AS lid, q.id AS qid, row_number() OVER (PARTITION BY l.id ORDER BY $preferred) AS n " +
          s"FROM r l JOIN s q ON $keys AND $order AND $tolerance AND ($exact OR $q <> $l) AND $l IS NOT NULL " +
          s"AND $q IS NOT NULL AND $more"
      s"SELECT lid, qid FROM ($pairs) WHERE n <= $most"
    }
  }

  private[this] def columns(how: String) = if (how.startsWith("LEFT ")) "l.id" else "l.id, q.id"

  private[this] lazy val left = spark.table("r").select("id").collect().map(_.get(0)).toSeq

  /** The rows of a join that has these pairs. */
  private[this] def rowsOf(how: String, pairs: Seq[Row]): Seq[String] = {
    val found = pairs.map(_.get(0)).toSet
    val rows = how match {
      case "INNER" => pairs.map(_.toString)
      case "LEFT" => pairs.map(_.toString) ++ left.filterNot(found).map(id => s"[$id,null]")
      case "LEFT SEMI" => left.filter(found).map(id => s"[$id]")
      case "LEFT ANTI" => left.filterNot(found).map(id => s"[$id]")
    }
    rows.sorted
  }

  private[this] def assertDefined(
      query: Query,
      pairs: Seq[Row],
      hows: Seq[String],
      local: Class[_ <: LocalJoin]
  ): Unit = for (how <- hows) {
    val df = spark.sql(query.ours(how))
    assert(rowsOf(df) == rowsOf(how, pairs), query.ours(how))
    assertRunsBy(df, local)
  }

  protected val Exchanged = Seq(
    "spark.sql.autoBroadcastJoinThreshold" -> "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold" -> "-1"
  )

  private[this] def pairsOf(query: Query): Seq[Row] = {
    val pairs = plainSpark(spark.sql(query.definition).collect().toSeq)
    assert(pairs.nonEmpty && pairs.size < left.size * query.most, s"not telling: $query")
    pairs
  }

  /** By a broadcast index. */
  protected def assertBroadcast(query: Query, hows: Seq[String] = Seq("LEFT")): Unit =
    broadcast(query, pairsOf(query), hows)

  /** By an index of each partition. */
  protected def assertExchanged(query: Query, hows: Seq[String] = Seq("LEFT")): Unit =
    exchanged(query, pairsOf(query), hows)

  protected def assertBoth(query: Query, hows: Seq[String] = Seq("LEFT")): Unit = {
    val pairs = pairsOf(query)
    broadcast(query, pairs, hows)
    exchanged(query, pairs, hows)
  }

  private[this] def broadcast(query: Query, pairs: Seq[Row], hows: Seq[String]): Unit =
    withSettings(SmallTables.toSeq: _*)(
      assertDefined(query, pairs, hows, classOf[LocalJoin.Broadcast])
    )

  private[this] def exchanged(query: Query, pairs: Seq[Row], hows: Seq[String]): Unit =
    withSettings(Exchanged: _*)(
      assertDefined(query, pairs, hows, classOf[LocalJoin.Nearest])
    )

  /** By slices of time. */
  protected def assertSliced(query: Query, hows: Seq[String] = Seq("LEFT")): Assertion = {
    val pairs = plainSpark(spark.sql(query.definition).collect().toSeq)
    withSettings(Exchanged: _*)(for (how <- hows) {
      val df = spark.sql(query.ours(how))
      assert(rowsOf(df) == rowsOf(how, pairs), query.ours(how))
      assert(windowJoins(df).map(_.description).forall(_.contains("slices of time")), query)
    })
    succeed
  }
}
