package io.scalegate.spark.aggregate

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Partial}
import org.apache.spark.sql.catalyst.expressions.codegen.{
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
  Expression,
  NamedExpression
}
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
    val key =
      GenerateUnsafeProjection.createCode(ctx, BindReferences.bindReferences(keys, child.output))
    val at = BindReferences.bindReference[Expression](pane, child.output).genCode(ctx)
    val result = ctx.freshName("result")
    s"""
       |${key.code}
       |${at.code}
       |UnsafeRow $result = $panes.point(${key.value}, ${at.value});
       |${update(ctx, input, result)}
       |if ($panes.isFull()) {
       |  $panes.drain();
       |  while ($panes.hasNext()) {
       |    ${give(ctx)}
       |  }
       |}
     """.stripMargin
  }

  /** Adds a row to a partial result: all columns' new values are made before the first is changed. */
  private[this] def update(ctx: CodegenContext, input: Seq[ExprCode], result: String): String = {
    val held = partials.held
    val values = BindReferences.bindReferences(partials.updated, held ++ child.output)
    // The columns of the result are read from the row, those of the input are variables.
    ctx.INPUT_ROW = result
    ctx.currentVars = Seq.fill[ExprCode](held.size)(null) ++ input
    val shared = ctx.subexpressionEliminationForWholeStageCodegen(values)
    val sharedCode = ctx.evaluateSubExprEliminationState(shared.states.values)
    val made = ctx.withSubExprEliminationExprs(shared.states)(values.map(_.genCode(ctx)))
    val written = values.zip(made).zipWithIndex.map { case ((value, code), i) =>
      CodeGenerator.updateColumn(result, value.dataType, i, code, value.nullable)
    }
    s"""
       |$sharedCode
       |${evaluateVariables(made)}
       |${written.mkString("\n")}
     """.stripMargin
  }

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
    * @param input
    *   plans what `found` calls its input
    */
  def plan(found: PaneAggregate, keys: Seq[NamedExpression], input: SparkPlan): SparkPlan =
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
}
