package io.scalegate.spark.rules

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.CatalystTypeConverters.convertToCatalyst
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.{DataFrame => ClassicDataFrame}
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.{Row, SparkSessionExtensions}

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.rules.TwoSteps

/** What our operators say of their rows while a query runs, when adaptive execution has put what has run in the place
  * of their inputs, or of themselves: it has to be true of the rows that they give. With `SCALEGATE_SOAK` of all inputs
  * and columns together, by each algorithm joins of all types; otherwise of every other type, each with inputs of all
  * sizes and, by turns, all columns and few.
  */
final class AdaptiveFiguresSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] = Map(
    "spark.sql.adaptive.enabled" -> "true",
    "spark.sql.autoBroadcastJoinThreshold" -> "-1",
    "spark.sql.extensions" -> classOf[SeenPlans].getName
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    for (name <- Seq("a", "b")) {
      val path = newDirectory().resolve(name).toString
      spark
        .sql("SELECT id AS x, id % 5 AS k, timestamp_seconds(id) AS ts FROM range(30)")
        .repartition(2)
        .write
        .parquet(path)
      spark.read.parquet(path).createOrReplaceTempView(name)
    }
  }

  /** A side of one row for each `x`, as many as the condition leaves, which nobody knows before it has run. */
  private def side(relation: String, where: String) =
    s"(SELECT x, k, min(ts) AS ts FROM $relation WHERE $where GROUP BY x, k)"

  private val sizes = {
    val (many, one, none) = ("x % 2 = 0", "x % 30 = 3", "x % 7 = 9")
    Seq(many -> many, many -> none, none -> many, one -> many)
  }

  /** Runs a query that gives the rows of one operator in order, and looks at what was said of them. */
  private def assertTrue(query: String): Int = {
    SeenPlans.clear()
    val df = spark.sql(query).asInstanceOf[ClassicDataFrame]
    val rows = df.collect().toSeq
    val output = df.queryExecution.analyzed.output
    val said = SeenPlans.all.flatMap(_.collect { case t: TwoSteps => t })
    val late = said.filter(_.exists(_.isInstanceOf[LogicalQueryStage]))
    late.foreach(assertTrue(_, rows, output, query))
    late.size
  }

  private def assertTrue(
      operator: TwoSteps,
      rows: Seq[Row],
      output: Seq[Attribute],
      query: String
  ): Unit = {
    def clue = s"$query\n$operator"
    def known(e: Expression) = e.references.subsetOf(operator.outputSet) &&
      e.references.forall(a => output.exists(_.semanticEquals(a)))
    def values(expressions: Seq[Expression]) = {
      val bound = expressions.map(BindReferences.bindReference(_, output))
      rows.map(r => bound.map(_.eval(InternalRow.fromSeq(r.toSeq.map(convertToCatalyst)))))
    }
    assert(operator.maxRows.forall(_ >= rows.size), clue)
    assert(operator.stats.rowCount.forall(_ >= rows.size), clue)
    assert(operator.stats.sizeInBytes >= 8 * rows.size, clue)
    for (keys <- operator.distinctKeys if keys.forall(known)) {
      val found = values(keys.toSeq)
      assert(found.distinct.size == found.size, s"$keys: $clue")
    }
    for (holds <- operator.constraints if known(holds))
      assert(values(Seq(holds)).forall(_.head != false), s"$holds: $clue")
  }

  /** A full join is run as a left join and an anti join. */
  for {
    (algorithm, a) <- Seq("sweep", "matrix", "broadcast").zipWithIndex
    (how, i) <- Seq("INNER", "LEFT", "RIGHT", "LEFT SEMI", "LEFT ANTI").zipWithIndex
    if Sample.isSoak || (a + i) % 2 == 0
  } test(s"what is said of a $how join by '$algorithm' is true while the query runs") {
    val both = if (how.startsWith("LEFT ")) "l.x, l.k" else "l.x, l.k, r.x AS y, r.k AS j"
    val late =
      for {
        ((left, right), j) <- sizes.zipWithIndex
        // Fewer columns put a projection between the operator and what stands above it.
        few = "l.k" -> (if (algorithm == "matrix") "" else "l.x = r.x AND ")
        (columns, key) <- Sample.turn(Seq(both -> "", few), i + j)
      } yield assertTrue(
        s"SELECT /*+ WINDOW_JOIN('$algorithm') */ $columns FROM ${side("a", left)} l " +
          s"$how JOIN ${side("b", right)} r ON ${key}abs(l.x - r.x) <= 9 ORDER BY 1"
      )
    assert(late.sum > 0, "no plan was made again")
  }

  test("what is said of the windows of an aggregate is true while the query runs") {
    val late =
      for (where <- sizes.map(_._1).distinct; keys <- Seq("", ", k")) yield assertTrue(
        s"SELECT w.start$keys, count(*) AS n FROM (SELECT *, window(ts, '1 minute', '10 seconds') AS w " +
          s"FROM ${side("a", where)}) GROUP BY w$keys ORDER BY 1"
      )
    assert(late.sum > 0, "no plan was made again")
  }
}

/** Keeps each plan that adaptive execution is about to look over again. */
final class SeenPlans extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectRuntimeOptimizerRule(_ =>
      new Rule[LogicalPlan] {
        override def apply(plan: LogicalPlan): LogicalPlan = {
          SeenPlans.add(plan)
          plan
        }
      }
    )
}

private object SeenPlans {
  private val seen = new ConcurrentLinkedQueue[LogicalPlan]

  def add(plan: LogicalPlan): Unit = { seen.add(plan); () }
  def clear(): Unit = seen.clear()
  def all: Seq[LogicalPlan] = seen.asScala.toSeq
}
