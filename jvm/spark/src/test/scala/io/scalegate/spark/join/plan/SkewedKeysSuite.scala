package io.scalegate.spark.join.plan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Literal}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.types.LongType

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.WindowJoinNode
import io.scalegate.spark.join.batch.{SliceBy, SliceExec}
import io.scalegate.spark.rows.PartitionIds
import io.scalegate.spark.settings.ScaleGateConf

/** Keys that a sample shows to be too frequent for one partition are cut into slices; the rows stay the same. With
  * `SCALEGATE_SOAK` each type of join is tried by both algorithms, cut and copied; otherwise cut by one and copied by the
  * other.
  */
final class SkewedKeysSuite extends SparkJoinSuite {

  /** Nothing is too small to be sampled, and nothing is broadcast. */
  override protected def settings: Map[String, String] =
    Map("spark.sql.autoBroadcastJoinThreshold" -> "-1", "spark.sql.shuffle.partitions" -> "4")

  /** Half of the rows have one key. */
  private def hot(n: Int, seed: Int): String =
    s"(SELECT CASE WHEN pmod(hash(id, $seed), 2) = 0 THEN 3 ELSE pmod(hash(id), 50) END AS k, " +
      s"CASE WHEN pmod(hash(id, $seed), 2) = 0 THEN 'x' ELSE cast(pmod(hash(id), 50) AS STRING) END AS name, " +
      s"CASE WHEN id % 31 = 0 THEN NULL ELSE id END AS t, pmod(hash(id, ${seed + 1}), 90) AS v, id " +
      s"FROM range(0, $n, 1, 3))"

  private val even =
    "(SELECT id % 50 AS k, cast(id % 50 AS STRING) AS name, id AS t, id % 7 AS v, id " +
      "FROM range(0, 900, 1, 3))"

  private val left = hot(1000, 1)
  private val right = hot(800, 5)

  private def query(
      how: String,
      on: String,
      hint: String = "",
      l: String = left,
      r: String = right
  ) = {
    val one = how.contains("SEMI") || how.contains("ANTI")
    s"SELECT $hint a.id, a.t${if (one) "" else ", b.id, b.t"} FROM $l a $how JOIN $r b ON $on"
  }

  /** The inputs are looked at when the query runs. */
  private def join(text: String): WindowJoinNode = windowJoins(ran(text)).head

  private def ran(text: String): DataFrame = {
    val df = spark.sql(text)
    df.collect()
    df
  }

  private val narrow = "abs(a.t - b.t) <= 2"

  /** As wide as half of all times: there is nothing to cut along. */
  private val wide = "abs(a.t - b.t) <= 200"

  private val types = Seq("", "LEFT", "RIGHT", "LEFT SEMI", "LEFT ANTI")

  test("the setting says up to which load a key stays whole") {
    val text = query("", s"a.k = b.k AND $narrow", "/*+ WINDOW_JOIN('index') */")
    def slices(theta: String) = withSettings(ScaleGateConf.HotKeyTheta -> theta) {
      """in up to (\d+) slices""".r.findFirstMatchIn(join(text).description).map(_.group(1).toInt)
    }
    val (most, some, none) = (slices("1.01"), slices("1.25"), slices("4"))
    assert(some.exists(_ > 1) && none.isEmpty && most.exists(_ >= some.get), s"$most $some $none")
    val refusal = intercept[IllegalArgumentException](slices("0.5"))
    assert(refusal.getMessage.contains("hotKeyTheta must be a number from 1 to 100"))
  }

  for {
    ((algorithm, (key, on)), i) <- Seq(
      "index" -> ("an integer" -> "a.k = b.k"),
      "sweep" -> ("a text" -> "a.name = b.name")
    ).zipWithIndex
    ((width, window), j) <-
      Seq("cut along the window's attribute" -> narrow, "copied" -> wide).zipWithIndex
    tried = types.indices.filter(n => Sample.isSoak || (i + j + n) % 2 == 0).map(types)
    named = tried.map(how => if (how.isEmpty) "INNER" else how).mkString(", ")
  } test(s"$key key that is hot is $width, by $algorithm, in joins: $named") {
    for (how <- tried) {
      // A few of the many pairs within a wide window.
      val some = s"$on AND $window AND (a.v + b.v) % 6 < 2"
      val text = query(how, some, s"/*+ WINDOW_JOIN('$algorithm') */")
      val expected = if (window == narrow) "slices of the window's attribute"
      else "the other side copied to each"
      val description = windowJoins(assertedJoin(text)).head.description
      assert(description.contains(s"1 hot key in up to "), text)
      assert(description.contains(expected), text)
    }
  }

  test("each task gets about its share of the rows of a hot key") {
    val text = query("", s"a.k = b.k AND $narrow")
    val sliced =
      withSettings("spark.sql.adaptive.coalescePartitions.enabled" -> "false")(ran(text))
    val plan = executed(sliced)
    assert(collect(plan) { case s: SliceExec if s.by.isInstanceOf[SliceBy.Keys] => s }.size == 2)
    val node = windowJoins(sliced).head
    val sizes = node.children.head.execute().mapPartitions(rows => Iterator(rows.size)).collect()
    assert(sizes.max <= 1.5 * sizes.sum / sizes.length, sizes.mkString(", "))
  }

  test("a full join, even keys, and inputs that are not looked at have no slices") {
    val plain = s"a.k = b.k AND $narrow"
    val full = query("FULL", plain, "/*+ WINDOW_JOIN('index') */")
    assert(!windowJoins(assertedJoin(full)).head.description.contains("hot"))
    assert(!join(query("", plain, l = even, r = even)).description.contains("hot"))
    withSettings(ScaleGateConf.SampleRows -> "0") {
      assert(!join(query("", plain)).description.contains("hot"))
    }
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "10MB") {
      val asked = query("", plain, "/*+ WINDOW_JOIN('index') */")
      assert(!join(asked).description.contains("hot"))
    }
  }

  test("a sampling setting that is no number of rows is refused") {
    withSettings(ScaleGateConf.SampleRows -> "-1") {
      val e = intercept[IllegalArgumentException](
        spark.sql(query("", s"a.k = b.k AND $narrow")).collect()
      )
      assert(e.getMessage.contains(
        "spark.scalegate.join.sampleRows must be a whole number of at least 0, not '-1'"
      ))
    }
  }

  test("a join without keys is cut along what lets the least through") {
    val on = "abs(a.t - b.t) <= 1 AND abs(a.v - b.v) <= 60 AND abs(a.k - b.k) <= 45"
    val slices = collect(executed(assertedJoin(query("", on)))) { case s: SliceExec => s }
    assert(slices.map(_.attributes.map(_.sql)) == Seq(Seq("a.t"), Seq("b.t")))
    withSettings(ScaleGateConf.SampleRows -> "0") {
      val unseen = collect(executed(ran(query("", on)))) { case s: SliceExec => s }
      assert(unseen.head.attributes.size == 2)
    }
  }

  test("an input behind an exchange, an aggregate or a join is not read to be looked at") {
    val grouped = "(SELECT k, max(t) AS t, max(id) AS id FROM " + left + " GROUP BY k)"
    val text = query("", s"a.k = b.k AND abs(a.t - b.t) <= 2", l = grouped)
    assert(!windowJoins(assertedJoin(text)).head.description.contains("hot"))
  }

  test("ids land in the partition that they are made for") {
    val column = AttributeReference("id", LongType)()
    for (partitions <- Seq(1, 2, 7, 200)) {
      val ids = new PartitionIds(partitions)
      val made = (0 until partitions).flatMap(p => Seq.fill(2)(p -> ids.next(p)))
      assert(made.map(_._2).distinct == made.map(_._2))
      made.foreach { case (p, id) =>
        val byHash = HashPartitioning(Seq(column), partitions).partitionIdExpression
        val landed = byHash.transform { case a: AttributeReference if a == column => Literal(id) }
        assert(landed.eval() == p)
      }
    }
  }
}
