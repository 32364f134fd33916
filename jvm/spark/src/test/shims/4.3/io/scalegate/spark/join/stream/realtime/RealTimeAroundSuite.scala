package io.scalegate.spark.join.stream.realtime

import scala.util.Random

import io.scalegate.Sample
import io.scalegate.stream.{Side, Sides}
import io.scalegate.tags.Streaming

/** Random joins under `trigger(realTime=…)` with something below and above them, as rows come: plain Spark's query over the
  * same rows at rest says what they give. `SCALEGATE_REALTIME_CASES`, `SCALEGATE_REALTIME_SEED` and `SCALEGATE_REALTIME_FIRST` draw
  * others.
  */
@Streaming
final class RealTimeAroundSuite extends RealTimeSuite {
  import RealTimeAroundSuite._

  private val seed = number("SEED", 1)
  private val first = number("FIRST", 0)
  private val cases = number("CASES", if (Sample.isSoak) 40 else 3)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    // The last rows are among them.
    spark.sql("SELECT if(id = 9, 1000, id % 12) AS x, concat('n', id) AS name FROM range(3, 10)")
      .createOrReplaceTempView("known")
    spark.udf.register("same", (x: Integer) => x)
    ()
  }

  for (number <- first until first + cases) {
    val drawn = new Drawn(new Random(seed * 1000003L + number))
    test(s"case $number of seed $seed: ${drawn.query}")(check(drawn))
  }

  private def check(drawn: Drawn): Unit = {
    val parts = Sides.each(_ => Vector.fill(Partitions)(randomEvents(drawn.random)))
    // Before, for Spark starts no batch while another query needs the slots.
    val expected = plainRows(drawn.query, parts)
    withRunning(
      drawn.query,
      trigger = if (drawn.random.nextBoolean()) "1 second" else "60 seconds"
    ) { q =>
      for {
        n <- 0 until 6
        side <- drawn.random.shuffle(Seq(Side.R, Side.S))
        p <- 0 until Partitions
      } q.add(side, p, parts(side)(p).slice(10 * n, 10 * n + 10): _*)
      // A window of rows moves on by as many of them.
      for (seconds <- 1000 to 4000 by 1000; side <- Seq(Side.R, Side.S); p <- 0 until Partitions)
        q.add(side, p, at(seconds.toDouble + p, End + p, k = 77, x = 1000))
      q.rows(expected)
      Thread.sleep(150)
      val got = q.collected.rows.filterNot(_.contains(End.toString.dropRight(1))).sorted
      assert(got == expected, s"missing: ${expected.diff(got)}; too many: ${got.diff(expected)}")
    }
  }
}

private object RealTimeAroundSuite {

  /** Of the rows that move all sources on. */
  private val End = 10000000L

  private def number(name: String, usual: Int) =
    sys.env.get(s"SCALEGATE_REALTIME_$name").fold(usual)(_.toInt)

  /** A query over l and r. What reads rows keeps their ids: they tell the last ones. */
  final private class Drawn(val random: Random) {
    private def oneOf[A](all: Seq[A]): A = all(random.nextInt(all.size))

    /** What stands below, which keeps the columns. */
    private def below(view: String): String = oneOf(
      Seq(
        view,
        view,
        s"(SELECT * FROM $view WHERE x IS NULL OR x < 9 OR x = 1000)",
        s"(SELECT ts, k, same(x) + 1 AS x, id FROM $view)",
        s"(SELECT at AS ts, k, x, id FROM (SELECT ts AS at, k % 3 AS k, x, id FROM $view))",
        s"(SELECT ts, k, y AS x, id FROM $view LATERAL VIEW explode(array(x, x + 1)) e AS y)",
        s"(SELECT a.* FROM $view a LEFT SEMI JOIN known b ON abs(a.x - b.x) <= 2)",
        s"(SELECT a.* FROM $view a LEFT ANTI JOIN known b ON a.x BETWEEN b.x - 3 AND b.x - 2)"
      )
    )

    private val near = oneOf(
      Seq(
        "r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND",
        "r.ts > l.ts AND r.ts <= l.ts + INTERVAL 2 SECONDS",
        "l.ts - r.ts BETWEEN INTERVAL -500 MILLISECONDS AND INTERVAL 1 SECOND"
      )
    )
    private val key = oneOf(Seq("", "l.k = r.k AND ", "l.k = r.k AND l.x % 2 = r.x % 2 AND "))
    private val rest =
      oneOf(Seq("", " AND abs(l.x - r.x) <= 2", " AND l.x <= r.x", " AND same(l.x) <> r.x"))

    private def windowed(how: String, hint: String = "") =
      s"SELECT $hint ${columns(how)} FROM ${below("l")} l $how JOIN ${below("r")} r ON $key$near$rest"

    private def columns(how: String) =
      if (how.startsWith("LEFT ")) "l.id AS a, NULL AS b, l.x AS x"
      else oneOf(Seq("l.id AS a, r.id AS b, l.x", "l.id AS a, r.id AS b, r.x"))

    private def joined: String = random.nextInt(10) match {
      case 0 | 1 =>
        val how = oneOf(Seq("INNER", "LEFT", "LEFT SEMI", "LEFT ANTI"))
        val on = s"${key}asof(l.ts, r.ts, 'backward', INTERVAL 2 SECONDS)$rest"
        s"SELECT ${columns(how)} FROM ${below("l")} l $how JOIN ${below("r")} r ON $on"
      case 2 =>
        val how = oneOf(Types)
        val on = s"within_rows(l.ts, r.ts, 5) AND abs(l.x - r.x) <= 2"
        s"SELECT ${columns(how)} FROM l $how JOIN r ON $on"
      case 3 =>
        // A key's last rows are in its windows for ever.
        val how = oneOf(Seq("INNER", "LEFT SEMI"))
        val on = s"within_rows(l.ts, r.ts, 2, l.k, r.k) AND l.x <= r.x"
        s"SELECT ${columns(how)} FROM l $how JOIN r ON $on"
      case 4 | 5 =>
        val around =
          s"LATERAL (SELECT count(*) AS n, max(r.x) AS x FROM ${below("r")} r WHERE ${key.replace("l.x % 2 = r.x % 2 AND ", "")}$near)"
        s"SELECT l.id AS a, q.n AS b, q.x FROM ${below("l")} l, $around q"
      case 6 => windowed(oneOf(Types), oneOf(Operators))
      case _ => windowed(oneOf(Types))
    }

    private def above(query: String): String = oneOf(
      Seq(
        query,
        s"SELECT * FROM ($query) WHERE x IS NULL OR x % 3 <> 1 OR x > 900",
        s"SELECT a, b, same(x) + 1 AS x FROM ($query)",
        s"SELECT a, b, y AS x FROM ($query) LATERAL VIEW explode(array(x, 7)) e AS y",
        s"SELECT q.a, q.b, k.name FROM ($query) q LEFT JOIN known k ON abs(q.x - k.x) <= 1",
        s"SELECT q.* FROM ($query) q WHERE q.x IN (SELECT x FROM known) OR q.a >= $End"
      )
    )

    val query: String = above(joined)
  }

  private val Types = Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")

  private val Operators = Seq("pim", "scalejoin(threads=2)", "bplus", "dp-join(layout=2x1)")
    .map(name => s"/*+ WINDOW_JOIN('$name') */")
}
