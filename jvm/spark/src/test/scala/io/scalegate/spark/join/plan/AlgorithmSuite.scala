package io.scalegate.spark.join.plan

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.WindowJoinNode
import io.scalegate.spark.settings.ScaleGateConf

/** Which algorithm the planner picks, by the sizes of the inputs and what the user asks for. Where many sizes and hints
  * are combined all plans are looked at, and with `SCALEGATE_SOAK` the rows of all of them, else of every fourth.
  */
final class AlgorithmSuite extends SparkJoinSuite {

  /** A row takes eight to twenty-two bytes by Spark's statistics. */
  override protected def settings: Map[String, String] =
    Map("spark.sql.autoBroadcastJoinThreshold" -> "900", "spark.sql.shuffle.partitions" -> "4")

  private def rows(n: Int): String =
    s"(SELECT id AS t, id % 7 AS k, cast(id % 7 AS STRING) AS name FROM range(0, $n, 1, 2))"

  private val small = rows(20)
  private val medium = rows(120)
  private val large = rows(1000)

  private val near = "abs(a.t - b.t) <= 3"
  private val integer = s"a.k = b.k AND $near"
  private val text = s"a.name = b.name AND $near"
  private val two = s"a.k = b.k AND a.name = b.name AND $near"

  private def query(left: String, right: String, on: String, hint: String, how: String) =
    s"SELECT $hint ${if (how.contains("SEMI") || how.contains("ANTI")) "a.t" else "a.t, b.t"} " +
      s"FROM $left a $how JOIN $right b ON $on"

  private def join(text: String): WindowJoinNode = windowJoins(spark.sql(text)).head

  private def check(
      left: String,
      right: String,
      on: String,
      expected: String,
      hint: String = "",
      how: String = "",
      isRun: Boolean = true
  ): Unit = {
    val text = query(left, right, on, hint, how)
    assert(join(text).description.split("algorithm: ").last.contains(expected), text)
    if (isRun) assertJoins(text)
    ()
  }

  private def turn(number: Int) = Sample.isSoak || number % 4 == 0

  private val held = "index over the broadcast"
  private val indexed = "side's partitions"

  for ((name, on) <- Seq("no" -> near, "an integer" -> integer, "a text" -> text, "two" -> two)) {
    test(s"the smaller side is broadcast when it is small, with $name key") {
      check(large, small, on, s"$held right side (it has ")
      check(small, large, on, s"$held left side (it has ")
    }

    test(s"the smaller side is indexed in its partitions when those are small, with $name key") {
      check(large, medium, on, "index over the right side's partitions")
      check(medium, large, on, "index over the left side's partitions")
    }

    test(s"both sides are sorted when they are large or of unknown size, with $name key") {
      check(large, large, on, "sweep over sorted ")
    }
  }

  test("a side whose rows are all given is not the one that is held") {
    val types = Seq("LEFT", "LEFT SEMI", "LEFT ANTI")
    for ((how, i) <- types.zipWithIndex; (on, j) <- Seq(near, integer).zipWithIndex) {
      val first = i + j
      check(large, small, on, s"$held right side", how = how, isRun = turn(first))
      check(small, large, on, "sweep over sorted", how = how, isRun = turn(first + 1))
      val indexed = "index over the right side's partitions"
      check(large, medium, on, indexed, how = how, isRun = turn(first + 2))
    }
    check(small, large, integer, s"$held left side", how = "RIGHT")
  }

  test("each half of a full join is run as its own sizes say") {
    def halves(left: String, right: String, on: String): Seq[String] =
      windowJoins(spark.sql(query(left, right, on, "", "FULL")))
        .map(_.description.split("algorithm: ").last)
    def isSweep(how: String) = how.startsWith("sweep over sorted ")
    assert(halves(small, small, near).forall(_.startsWith(s"$held right side")))
    val mixed = halves(large, small, near)
    assert(mixed.head.startsWith(s"$held right side (it has ") && isSweep(mixed.last))
    assert(halves(medium, medium, near).forall(_.startsWith("index over the right side's")))
    assert(halves(large, large, near).size == 2 && halves(large, large, near).forall(isSweep))
    assert(halves(large, large, integer).isEmpty)
    assert(halves(large, medium, integer).map(_.take(20)) == Seq("index over the right"))
  }

  test("an input of unknown size is sorted, and EXPLAIN says why") {
    val node = join("SELECT r.id, s.id FROM r JOIN s ON r.k = s.k AND abs(r.i - s.i) <= 3")
    assert(node.description.endsWith(
      "algorithm: sweep over sorted inputs (the side to index has an unknown size)"
    ))
  }

  test("a hint has the last word, a setting the last but one") {
    val expected = Map(
      "broadcast" -> held,
      "index" -> indexed,
      "sweep" -> "sweep over sorted",
      "matrix" -> "side's partitions, matrix of "
    )
    for {
      (on, i) <- Seq(near, integer).zipWithIndex
      (asked, j) <- expected.keys.zipWithIndex if on == near || asked != "matrix"
    } {
      def chosen(l: String, r: String, by: String, turn: Int, hint: String = "") =
        check(l, r, on, by, hint, isRun = this.turn(i + j + turn))
      val by = expected(asked)
      chosen(small, large, by, 0, s"/*+ WINDOW_JOIN('$asked') */")
      chosen(medium, large, by, 1, s"/*+ WINDOW_JOIN(a, b, '$asked') */")
      withSettings(ScaleGateConf.JoinAlgorithm -> asked) {
        chosen(large, large, by, 2)
        chosen(large, large, "sweep over sorted", 1, "/*+ WINDOW_JOIN('sweep') */")
        chosen(large, small, by, 2, "/*+ WINDOW_JOIN('auto') */")
      }
    }
  }

  private val below = "a.t < b.t"

  private def chosen(left: String, right: String, how: String = ""): String =
    join(query(left, right, below, "/*+ WINDOW_JOIN */", how)).description
      .split("algorithm: ").last

  test("where nothing is bounded a small side is broadcast, and larger ones meet in a matrix") {
    assert(chosen(large, small).startsWith(s"$held right side (it has "))
    assert(chosen(small, large).startsWith(s"$held left side (it has "))
    assert(
      chosen(medium, large, "RIGHT").contains("matrix of 1 x 2 cells, each right row in one")
    )
    for (how <- Seq("LEFT", "LEFT SEMI", "LEFT ANTI")) {
      assert(chosen(large, small, how).startsWith(s"$held right side (it has "))
      assert(chosen(small, large, how).contains("matrix of 2 x 1 cells, each left row in one"))
    }
  }

  test("the matrix has more rows, or columns, the more there is on that side, as EXPLAIN says") {
    val pairs = "all pairs over the"
    assert(chosen(large, large).startsWith(s"$pairs right side's partitions, matrix of 2 x 2 "))
    assert(chosen(large, medium).startsWith(s"$pairs right side's partitions, matrix of 4 x 1 "))
    assert(chosen(medium, large).startsWith(s"$pairs left side's partitions, matrix of 1 x 4 "))
    val node = join("SELECT /*+ WINDOW_JOIN */ r.id, s.id FROM r JOIN s ON r.i < s.i")
    assert(
      node.description == s"residual: (r.i < s.i); algorithm: $pairs right side's partitions, " +
        "matrix of 2 x 2 cells, for an unknown size and an unknown size (nothing is bounded)"
    )
  }

  test("there are as many cells as shuffle partitions, in a multiple of the tasks at once") {
    val expected = Seq(1 -> "1 x 1", 2 -> "1 x 2", 3 -> "1 x 2", 7 -> "2 x 3", 13 -> "3 x 4")
    for ((partitions, layout) <- expected)
      withSettings("spark.sql.shuffle.partitions" -> partitions.toString) {
        assert(chosen(large, large).contains(s"matrix of $layout cells"))
      }
  }

  test("a DataFrame's hint names the algorithm too") {
    val (a, b) = (spark.sql(s"SELECT * FROM $large"), spark.sql(s"SELECT * FROM $small"))
    val joined = a.join(
      b.hint("window_join", "index"),
      org.apache.spark.sql.functions.abs(a("t") - b("t")) <= 3
    )
    assert(windowJoins(joined).head.description.contains(indexed))
  }

  test("a setting or a hint that names no algorithm is refused with those there are") {
    val plain = query(small, small, near, "", "")
    withSettings(ScaleGateConf.JoinAlgorithm -> "magic") {
      val e = intercept[IllegalArgumentException](spark.sql(plain).collect())
      assert(
        e.getMessage.contains(
          "must be one of auto, broadcast, index, sweep, matrix, scalejoin, "
        ) &&
          e.getMessage.endsWith(", splitjoin, not 'magic'")
      )
    }
    val e = intercept[IllegalArgumentException](
      spark.sql(query(small, small, near, "/*+ WINDOW_JOIN(a, b, 'magic') */", "")).collect()
    )
    assert(e.getMessage.contains("one quoted algorithm (auto, broadcast, index, sweep, matrix, "))
  }
}
