package io.scalegate.spark.window.partial

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
  Attribute,
  AttributeReference,
  AttributeSet,
  BindReferences,
  ExprId,
  Expression,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.aggregate.AggUtils
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{
  CodegenSupport,
  PartitioningPreservingUnaryExecNode,
  SparkPlan,
  UnaryExecNode
}
import org.apache.spark.sql.types.{BinaryType, LongType}

import io.scalegate.spark.plan.ParallelUnionExec
import io.scalegate.spark.window.SlidingAggregate

/** The first step of a sliding-window aggregate, before rows are exchanged: see [[PartialPanes]]. A task holds the
  * partial results of its rows up to the memory that it is granted, and gives them early when that is full.
  *
  * @param keys
  *   over the child's output
  * @param column
  *   one of the child's columns
  * @param functions
  *   whose partial results are of fixed size
  * @param blockOutput
  *   the columns that are made: a block's number and its panes
  * @param shared
  *   whether the partial results are those of a [[SharedPanesExec]] above, which gives them: from here come those that
  *   memory has no room for
  */
final case class PartialPanesExec(
    column: PaneColumn,
    keys: Seq[NamedExpression],
    functions: Seq[AggregateExpression],
    blockOutput: Seq[Attribute],
    shared: Boolean,
    child: SparkPlan
) extends UnaryExecNode
    with CodegenSupport
    with PartitioningPreservingUnaryExecNode {
  import column.{by, pane}

  override def nodeName: String = "PartialPanes"
  override def output: Seq[Attribute] = keys.map(_.toAttribute) ++ blockOutput
  override protected def outputExpressions: Seq[NamedExpression] = keys ++ blockOutput

  override def producedAttributes: AttributeSet =
    AttributeSet(output ++ functions.map(_.resultAttribute)) ++
      AttributeSet(partial.held) -- child.outputSet

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "flushes" -> SQLMetrics.createMetric(sparkContext, "times that memory was full")
  )

  private[this] def partial: PaneFunctions = PaneFunctions(Nil, functions, Nil)

  /** What its partial results, or those that it shares, are kept by. */
  private[scalegate] def partials(flushes: SQLMetric): PartialPanesOf =
    PartialPanesOf(by, keys.map(_.dataType), partial, flushes)

  /** What those that it shares are found by. */
  private[scalegate] def sharedId: ExprId = blockOutput.head.exprId

  private[this] def task: PartialPanesTask = PartialPanesTask(
    partials(longMetric("flushes")),
    Option.when(shared)(sharedId),
    child.output,
    keys,
    pane
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val (work, rowsOut) = (task, longMetric("numOutputRows"))
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      new PartialPanesIterator(partition, rows, work).map { row =>
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
    val work = ctx.addReferenceObj("task", task)
    panes = ctx.addMutableState(
      classOf[PartialPanes].getName,
      "panes",
      name => s"$name = $work.begin();",
      forceInline = true
    )
    val done = ctx.addMutableState(CodeGenerator.JAVA_BOOLEAN, "inputDone")
    s"""
       |if (!$done) {
       |  ${child.asInstanceOf[CodegenSupport].produce(ctx, this)}
       |  $done = true;
       |  ${if (shared) "" else s"$panes.drain();"}
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
          s"${key.isNull}, ${KeyWord.getClass.getName.stripSuffix("$")}.apply(${key.value})"
        )
      case bound =>
        val key = GenerateUnsafeProjection.createCode(ctx, bound)
        (key.code, key.value.toString)
    }

  /** Adds a row to a partial result. */
  private[this] def update(ctx: CodegenContext, input: Seq[ExprCode], result: String): String =
    PaneMerger.updating(
      ctx,
      BindReferences.bindReferences(partial.updated, partial.held ++ child.output),
      result,
      input
    )

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override def simpleString(maxFields: Int): String =
    s"$nodeName panes: ${by.panes}; keys: ${keys.mkString("[", ", ", "]")}; functions: " +
      functions.map(_.aggregateFunction).mkString("[", ", ", "]")
}

private[scalegate] object PartialPanesExec {

  /** Whether partial results can be exchanged in blocks: Spark's own partial aggregate makes the others. */
  def packs(found: SlidingAggregate): Boolean =
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
      found: SlidingAggregate,
      keys: Seq[NamedExpression],
      planLater: LogicalPlan => SparkPlan
  ): SparkPlan = {
    val rows = PaneInput.from(found, planLater)
    if (packs(found)) packed(found, keys, rows)
    else
      rows.map(_.aggregated(unpacked(found, keys, _))) match {
        case Seq(only) => only
        case parts => ParallelUnionExec(parts)
      }
  }

  private[this] def packed(
      found: SlidingAggregate,
      keys: Seq[NamedExpression],
      rows: Seq[PaneInput]
  ): SparkPlan = {
    val functions = found.functions.map(_.copy(mode = Partial))
    val blocks = Seq(
      AttributeReference("block", LongType, nullable = false)(),
      AttributeReference("panes", BinaryType, nullable = false)()
    )
    val column = PaneColumn(found.windows.by, found.rows.pane)
    def partial(shared: Boolean)(rows: SparkPlan) =
      PartialPanesExec(column, keys, functions, blocks, shared, rows)
    rows match {
      case Seq(only) => only.aggregated(partial(shared = false))
      case several =>
        SharedPanesExec(several.map(_.aggregated(partial(shared = true))))
    }
  }

  private[this] def unpacked(
      found: SlidingAggregate,
      keys: Seq[NamedExpression],
      rows: SparkPlan
  ): SparkPlan =
    AggUtils
      .planAggregateWithoutDistinct(keys :+ found.rows.pane, found.functions, Nil, rows)
      .head.children.head
}
