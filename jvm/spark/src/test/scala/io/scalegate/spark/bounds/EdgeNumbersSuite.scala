package io.scalegate.spark.bounds

import scala.util.{Random, Try}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BindReferences, Expression, JoinedRow}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.types.StructType

import io.scalegate.band.{Band, CellBuffer, Grid}
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.plan.WindowJoinCandidate
import io.scalegate.spark.rows.AttributeReader
import io.scalegate.stream.Side

/** Numbers at the edges of every pair of types that a bound may have. Spark's own expression, evaluated on a
  * candidate pair, decides: what it accepts must lie in the range that the bound gives, from either side, and in
  * the same cell; and what lies in all ranges and passes the residual condition must be what it accepts.
  *
  * `SCALEGATE_EDGES` is how many conditions are tried, `SCALEGATE_SEED` the seed, which a failure names.
  */
final class EdgeNumbersSuite extends SparkJoinSuite {
  private val seed = sys.env.get("SCALEGATE_SEED").map(_.toLong).getOrElse(100200L)
  private val cases = sys.env.get("SCALEGATE_EDGES").map(_.toInt).getOrElse(60)

  test(s"what Spark accepts lies in the bounds ($cases conditions from seed $seed)") {
    val read = (0 until cases).map(i => Try(check(seed + i)))
    val wrong = read.flatMap(_.failed.toOption)
    assert(
      wrong.isEmpty,
      wrong.take(20).map(_.getMessage).mkString(s"${wrong.size} conditions:\n", "\n", "")
    )
    assert(read.count(_.get) > cases / 5, "too few of the conditions are read as bounds")
  }

  /** Whether the condition of this seed is read as a bound. */
  private def check(seed: Long): Boolean = {
    val random = new Random(seed)
    val condition = EdgeConditions(random)
    val settings = Seq(
      "spark.sql.ansi.enabled" -> random.nextBoolean().toString,
      "spark.sql.session.timeZone" -> EdgeValues.pick(random, Seq("UTC", "America/New_York"))
    )
    withSettings(settings: _*) {
      joinOn(condition).exists { join =>
        val candidate = new WindowJoinCandidate(join)
        candidate.differences.nonEmpty && {
          val note =
            s"seed $seed, ${settings.map(_._2).mkString(" ")}: ${condition.left.sql} beside " +
              s"${condition.right.sql} on ${condition.sql}, read as ${candidate.differences.map(_.describe)}"
          new EdgePairs(join, candidate, note).check(condition)
          true
        }
      }
    }
  }

  /** The optimized join; None where Spark refuses the types, or has another plan for it. */
  private def joinOn(c: EdgeCondition): Option[Join] = {
    def table(name: String, column: String, edge: EdgeType) = spark
      .createDataFrame(
        spark.sparkContext.emptyRDD[org.apache.spark.sql.Row],
        new StructType().add(column, edge.dataType)
      )
      .createOrReplaceTempView(name)
    table("l", "a", c.left)
    table("r", "b", c.right)
    try
      spark.sql(s"SELECT * FROM l LEFT JOIN r ON ${c.sql}").queryExecution.optimizedPlan.collectFirst {
        case j: Join if j.joinType == LeftOuter && j.condition.nonEmpty => j
      }
    catch { case _: AnalysisException | _: ArithmeticException => None }
  }
}

/** The pairs of one condition. */
final private class EdgePairs(join: Join, candidate: WindowJoinCandidate, note: String) {
  import org.scalatest.Assertions._

  private[this] val columns = join.left.output ++ join.right.output
  private[this] val condition = bound(join.condition.get)
  private[this] val residual = candidate.residual.map(bound)
  private[this] val bounds = candidate.differences.map(new Bound(_))

  private[this] def bound(e: Expression): Expression = BindReferences.bindReference(e, columns)

  def check(c: EdgeCondition): Unit = for {
    a <- c.left.pool
    near = EdgeValues.numberOf(a).toSeq
      .flatMap(n => c.distances.flatMap(d => c.right.near(n + d, 2)))
    b <- (c.right.pool ++ near).distinct
  } checkPair(a, b)

  private[this] def checkPair(a: Any, b: Any): Unit = {
    val (l, r) = (InternalRow(a), InternalRow(b))
    val pair = new JoinedRow(l, r)
    Try(condition.eval(pair)).foreach { answer =>
      val isMatch = answer == true
      val isWithin = bounds.forall(_.holds(l, r, isMatch, s"$a and $b; $note"))
      val isGiven = isWithin && residual.forall(e => Try(e.eval(pair)).toOption.contains(true))
      assert(isGiven == isMatch, s"(the rows of the join) for $a and $b; $note")
    }
  }

  /** One bounded difference as the core sees it. */
  final private class Bound(difference: BoundedDifference) {
    private[this] val band: Option[Band] = if (difference.isEmpty) None else Some(difference.band)
    private[this] val left = AttributeReader(Seq(difference.storedLeft), join.left.output)
    private[this] val right = AttributeReader(Seq(difference.storedRight), join.right.output)
    private[this] val grids = band.toSeq.flatMap(b => Seq(Side.R, Side.S).map(Grid(Vector(b), _)))
    private[this] val (own, reached) = (new CellBuffer, new CellBuffer)

    def holds(l: InternalRow, r: InternalRow, isMatch: Boolean, what: String): Boolean =
      band match {
        case Some(b) if left.read(l) && right.read(r) =>
          val (x, y) = (left.keys(0), right.keys(0))
          val fromLeft = b.least(Side.R, x) <= y && y <= b.greatest(Side.R, x)
          val fromRight = b.least(Side.S, y) <= x && x <= b.greatest(Side.S, y)
          if (isMatch) {
            assert(fromLeft && fromRight, s"(a match outside of the bound $b) for $what")
            grids.foreach(meet(_, x, y, what))
          }
          assert(fromLeft == fromRight || !difference.exact, s"(an exact bound $b) for $what")
          fromLeft
        case _ => false
      }

    private[this] def meet(grid: Grid, x: Long, y: Long, what: String): Unit = {
      val (single, copied) = if (grid.single eq Side.R) (x, y) else (y, x)
      grid.cell(Array(single), own)
      grid.cells(Array(copied), reached)
      assert(
        (0 until reached.size).exists(reached(_) == own(0)),
        s"(no cell in common) for $what"
      )
      assert(reached.size <= 64, s"(${reached.size} cells) for $what")
    }
  }
}
