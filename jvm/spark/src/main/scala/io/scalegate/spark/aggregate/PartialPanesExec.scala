package io.scalegate.spark.aggregate

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Partial}
import org.apache.spark.sql.catalyst.expressions.codegen.{
  Block,
  CodeGenerator,
  CodegenContext,
  ExprCode,
  GenerateUnsafeProjection
}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  AttributeReference,
  AttributeSet,
  BindReferences,
  Expression,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, Union}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.aggregate.AggUtils
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{
  CodegenSupport,
  FilterExec,
  PartitioningPreservingUnaryExecNode,
  ProjectExec,
  SparkPlan,
  UnaryExecNode
}
import org.apache.spark.sql.types.{BinaryType, LongType}

import io.scalegate.spark.exec.ParallelUnionExec

/** The first step of a sliding-window aggregate, before rows are exchanged: see [[PartialPanes]].
  *
  * @param keys
  *   over the child's output
  * @param pane
  *   one of the child's columns
  * @param functions
  *   whose partial results are of fixed size
  * @param blockOutput
  *   the columns that are made: a block's number and its panes
  */
final case class PartialPanesExec(
    by: SlidingWindow,
    keys: Seq[NamedExpression],
    pane: Attribute,
    functions: Seq[AggregateExpression],
    blockOutput: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode
    with CodegenSupport
    with PartitioningPreservingUnaryExecNode {
  override def nodeName: String = "PartialPanes"
  override def output: Seq[Attribute] = keys.map(_.toAttribute) ++ blockOutput
  override protected def outputExpressions: Seq[NamedExpression] = keys ++ blockOutput

  override def producedAttributes: AttributeSet =
    AttributeSet(output ++ functions.map(_.resultAttribute)) ++
      AttributeSet(partials.held) -- child.outputSet

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "flushes" -> SQLMetrics.createMetric(sparkContext, "times that memory was full")
  )

  private[this] def partials: PaneFunctions = PaneFunctions(Nil, functions, Nil)

  private[this] def task: PartialPanesTask =
    PartialPanesTask(by, child.output, keys, pane, partials, longMetric("flushes"))

  override protected def doExecute(): RDD[InternalRow] = {
    val (of, rowsOut) = (task, longMetric("numOutputRows"))
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      new PartialPanesIterator(partition, rows, of).map { row =>
        rowsOut += 1
        row
      }
    }
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] = child match {
    case generated: CodegenSupport => generated.inputRDDs()
    case other => Seq(other.execute())
  }

  override def usedInputs: AttributeSet = inputSet

  /** When memory is full many rows are given at once. */
  override def needCopyResult: Boolean = true

  override protected def doProduce(ctx: CodegenContext): String = {
    val of = ctx.addReferenceObj("task", task)
    panes = ctx.addMutableState(
      classOf[PartialPanes].getName,
      "panes",
      name => s"$name = $of.begin();",
      forceInline = true
    )
    val done = ctx.addMutableState(CodeGenerator.JAVA_BOOLEAN, "inputDone")
    s"""
       |if (!$done) {
       |  ${child.asInstanceOf[CodegenSupport].produce(ctx, this)}
       |  $done = true;
       |  $panes.drain();
       |}
       |while ($panes.hasNext()) {
       |  ${give(ctx)}
       |  if (shouldStop()) return;
       |}
     """.stripMargin
  }

  @transient private[this] var panes: String = _

  private[this] def give(ctx: CodegenContext): String = {
    val row = ctx.freshName("block")
    s"""
       |UnsafeRow $row = $panes.next();
       |${metricTerm(ctx, "numOutputRows")}.add(1);
       |${consume(ctx, null, row)}
     """.stripMargin
  }

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val (made, key) = keyOf(ctx)
    val at = BindReferences.bindReference[Expression](pane, child.output).genCode(ctx)
    val result = ctx.freshName("result")
    s"""
       |$made
       |${at.code}
       |UnsafeRow $result = $panes.point($key, ${at.value});
       |${update(ctx, input, result)}
       |if ($panes.isFull()) {
       |  $panes.drain();
       |  while ($panes.hasNext()) {
       |    ${give(ctx)}
       |  }
       |}
     """.stripMargin
  }

  /** What makes a row's key, and what `point` takes of it. */
  private[this] def keyOf(ctx: CodegenContext): (Block, String) =
    BindReferences.bindReferences[Expression](keys, child.output) match {
      case Seq(only) if KeyWord.has(only.dataType) =>
        val key = only.genCode(ctx)
        (
          key.code,
          s"${key.isNull}, ${KeyWord.getClass.getName.stripSuffix("$")}.of(${key.value})"
        )
      case bound =>
        val key = GenerateUnsafeProjection.createCode(ctx, bound)
        (key.code, key.value.toString)
    }

  /** Adds a row to a partial result. */
  private[this] def update(ctx: CodegenContext, input: Seq[ExprCode], result: String): String =
    PaneMerger.updating(
      ctx,
      BindReferences.bindReferences(partials.updated, partials.held ++ child.output),
      result,
      input
    )

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override def simpleString(maxFields: Int): String =
    s"$nodeName panes: ${by.panes}; keys: ${keys.mkString("[", ", ", "]")}; functions: " +
      functions.map(_.aggregateFunction).mkString("[", ", ", "]")
}

private[aggregate] object PartialPanesExec {

  /** Whether partial results can be exchanged in blocks: Spark's own partial aggregate makes the others. */
  def packs(found: PaneAggregate): Boolean =
    PaneFunctions(Nil, found.functions, Nil).fixed &&
      found.keys.forall(k => UnsafeRowUtils.isBinaryStable(k.dataType))

  /** What comes before the exchange of a sliding-window aggregate.
    *
    * @param keys
    *   those of `found`, in the form in which they are compared
    * @param planLater
    *   plans a node of the query
    */
  def plan(
      found: PaneAggregate,
      keys: Seq[NamedExpression],
      planLater: LogicalPlan => SparkPlan
  ): SparkPlan = inputs(found, planLater).map(partial(found, keys, _)) match {
    case Seq(only) => only
    case parts => ParallelUnionExec(parts)
  }

  private[this] def partial(
      found: PaneAggregate,
      keys: Seq[NamedExpression],
      input: SparkPlan
  ): SparkPlan =
    if (packs(found))
      PartialPanesExec(
        found.windows.by,
        keys,
        found.pane,
        found.functions.map(_.copy(mode = Partial)),
        Seq(
          AttributeReference("block", LongType, nullable = false)(),
          AttributeReference("panes", BinaryType, nullable = false)()
        ),
        input
      )
    else
      AggUtils
        .planAggregateWithoutDistinct(keys :+ found.pane, found.functions, Nil, input)
        .head.children.head

  /** The rows of `found.input`; those of a union in its parts, each of which is aggregated where it is read, and no row
    * is copied to be handed on.
    *
    * What lies below the windows is planned by itself: adaptive execution puts what it has run in the place of a node of
    * the query's plan, and would look for ever for one that is made here.
    */
  private[this] def inputs(
      found: PaneAggregate,
      planLater: LogicalPlan => SparkPlan
  ): Seq[SparkPlan] = {
    val below = found.windows.child
    found.input match {
      case Project(fields, Filter(condition, rows)) if rows eq below =>
        inputs(below, fields, Some(condition), planLater)
      case Project(fields, rows) if rows eq below => inputs(below, fields, None, planLater)
      case other => Seq(planLater(other))
    }
  }

  private[this] def inputs(
      below: LogicalPlan,
      fields: Seq[NamedExpression],
      condition: Option[Expression],
      planLater: LogicalPlan => SparkPlan
  ): Seq[SparkPlan] = below match {
    case union: Union if (fields ++ condition).forall(_.deterministic) =>
      union.children.map { part =>
        val columns = AttributeMap(union.output.zip(part.output))
        over(planLater(part), fields.map(moved(_, columns)), condition.map(of(_, columns)))
      }
    case rows => Seq(over(planLater(rows), fields, condition))
  }

  private[this] def over(
      rows: SparkPlan,
      fields: Seq[NamedExpression],
      condition: Option[Expression]
  ): SparkPlan = ProjectExec(fields, condition.fold(rows)(FilterExec(_, rows)))

  /** A column of a union's rows, made of those of one of its parts. */
  private[this] def moved(field: NamedExpression, columns: AttributeMap[Attribute]) = {
    val value = field match {
      case Alias(child, _) => child
      case other => other
    }
    Alias(of(value, columns), field.name)(field.exprId, field.qualifier, Some(field.metadata))
  }

  private[this] def of(value: Expression, columns: AttributeMap[Attribute]): Expression =
    value.transform { case a: Attribute => columns.getOrElse(a, a) }
}
