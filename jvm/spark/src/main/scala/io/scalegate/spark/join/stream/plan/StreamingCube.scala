package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeReference,
  Expression,
  Literal,
  NamedExpression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Union}
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.IntegerType

import io.scalegate.spark.bounds.BoundText
import io.scalegate.spark.checkpoint.{JoinTerms, OlderJoinTerms}
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.cube.{CubeHint, CubeJoin, CubeTerms, ExtractCubeJoin}
import io.scalegate.spark.join.stream.cube.CubeOfStreams
import io.scalegate.spark.join.stream.state.{EventTimeWindow, StreamWindow}
import io.scalegate.spark.join.stream.{StreamCondition, StreamExchange, StreamJoin}
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.Sides

/** What the planner knows of a join of three streams by a cube. Made when a query starts and when a batch is planned; one
  * thread.
  *
  * Spark's operators with a state have two inputs at most. So the three come as one, by a union: a row has the columns of
  * all of them, NULL but for its own, and two more before these.
  */
final private[plan] class StreamingCube(cube: CubeJoin) extends PredicateHelper {

  /** None where nothing matches. */
  private[this] val terms = CubeTerms.from(cube)

  /** @throws java.lang.IllegalArgumentException
    *   if it cannot be run, with what to write
    */
  def refuse(): this.type = {
    if (!StreamingJoins.isPlain(cube.condition)) throw Errors.streamCondition(cube.condition.sql)
    for (t <- terms; time <- t.times if !isEventTime(time))
      throw Errors.cubeStreamTime(BoundText.withoutOwnNames(time.sql))
    this
  }

  private[this] def isEventTime(time: Expression) = time match {
    case a: Attribute => PlannedPairs.isEventTime(a)
    case _ => false
  }

  def refuseMode(mode: OutputMode): this.type = {
    StreamingJoins.refuseMode(cube, "join by CUBE_JOIN", mode)
    this
  }

  /** @param columns
    *   of the cube's
    * @param planned
    *   an input's own plan
    */
  def rows(columns: Seq[NamedExpression], planned: LogicalPlan => SparkPlan): SparkPlan =
    terms.fold[SparkPlan](LocalTableScanExec(columns.map(_.toAttribute), Nil, None)) { t =>
      new Planned(t).rows(columns, planned)
    }

  final private[this] class Planned(terms: CubeTerms) {
    private[this] val times = terms.times.map(_.asInstanceOf[Attribute])
    private[this] val input = AttributeReference("input", IntegerType, nullable = false)()
    private[this] val time = timeOf("time")
    private[this] val noTime = timeOf("time")

    private[this] def timeOf(name: String) =
      AttributeReference(name, times.head.dataType, nullable = false)()

    def rows(columns: Seq[NamedExpression], planned: LogicalPlan => SparkPlan): SparkPlan = {
      val inputs = Sides(planned(together), LocalTableScanExec(Seq(noTime), Nil, None))
      PlannedPairs.from(join, Sides(Nil, Nil), inputs).rows(columns)
    }

    /** The rows of all inputs. */
    private[this] def together: LogicalPlan =
      Union(terms.presentIn(cube.children).zipWithIndex.map { case (child, number) =>
        val head = Seq(
          Alias(Literal(number), input.name)(input.exprId),
          Alias(times(number), time.name)(time.exprId)
        )
        Project(
          head ++ cube.output.zip(names).map { case (column, name) =>
            val value =
              if (child.outputSet.contains(column)) column else Literal(null, column.dataType)
            Alias(value, name)(
              column.exprId,
              explicitMetadata = Some(PlannedPairs.timeless(column))
            )
          },
          child
        )
      })

    /** Of the columns, no two of which have the same. */
    private[this] def names: Seq[String] = {
      val folded: String => String =
        if (SQLConf.get.caseSensitiveAnalysis) identity else _.toLowerCase(java.util.Locale.ROOT)
      cube.output.foldLeft(Vector(input.name, time.name)) { (taken, column) =>
        val others = Iterator.from(2).map(n => s"${column.name}_$n")
        taken :+ (Iterator(column.name) ++ others)
          .find(name => !taken.exists(folded(_) == folded(name))).get
      }.drop(2)
    }

    private[this] def join: StreamJoin = {
      val reach = terms.reach
      StreamJoin(
        Probing.Inner,
        StreamCondition(
          Sides(Seq(time), Seq(noTime)),
          Sides(time, noTime),
          Vector(StreamWindow.AnyTime),
          EventTimeWindow(0, -reach, reach),
          terms.residual,
          python = None
        ),
        StreamExchange(partitions = Some(1)),
        Some(CubeOfStreams(
          cube.workers,
          input,
          cube.children.map(_.output),
          terms.bounded,
          terms.pairs
        )),
        inTurn = true,
        threads = 1,
        checkpointed,
        BoundText.withoutOwnNames(
          (terms.shown ++ terms.residual.map(r => s"residual: ${r.sql}") :+
            s"algorithm: cube of ${cube.workers} workers in one task, in order").mkString("; ")
        )
      )
    }

    private[this] def checkpointed: JoinTerms = JoinTerms(
      Nil,
      splitConjunctivePredicates(cube.condition),
      times,
      rows = None,
      perKey = false,
      nearest = None,
      aggregated = None,
      where = Some("in one task, by a cube, in order"),
      cells = Nil,
      OlderJoinTerms(Nil, Nil, None, None, None, "", false)
    )
  }
}

private[plan] object StreamingCube {

  /** A query whose joins of three streams are nodes of their own. */
  def in(query: LogicalPlan): LogicalPlan = query.transformWithSubqueries {
    case hint: CubeHint if hint.isStreaming => ExtractCubeJoin.joined(hint)
  }
}
