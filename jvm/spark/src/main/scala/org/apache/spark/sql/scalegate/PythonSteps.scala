package org.apache.spark.sql.scalegate

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeSet,
  Expression,
  NamedExpression,
  PythonUDF,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.logical.{
  ArrowEvalPython,
  BatchEvalPython,
  LocalRelation,
  LogicalPlan,
  Project
}
import org.apache.spark.sql.execution.python.{
  ArrowEvalPythonExec,
  BatchEvalPythonExec,
  EvalPythonEvaluatorFactory,
  ExtractPythonUDFs
}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}

/** A condition with functions in Python, as Spark's own operators evaluate it in batches of rows, for tasks that have rows
  * of their own. The driver makes it and a task, on one thread, evaluates it.
  */
final class PythonSteps private (steps: Seq[PythonSteps.Step]) extends Serializable {

  /** Whether each of these rows satisfies the condition, in their order; NULL does not. Rows are read some batches ahead,
    * and may be the same object each time. Python's worker runs until the task ends.
    */
  def satisfied(rows: Iterator[InternalRow], partition: Int): Iterator[Boolean] =
    steps.foldLeft(rows)((input, step) => step.over(input, partition))
      .map(row => !row.isNullAt(0) && row.getBoolean(0))
}

object PythonSteps {

  /** @param columns
    *   of the rows
    */
  def apply(condition: Expression, columns: Seq[Attribute]): PythonSteps = {
    val read = columns.filter(AttributeSet(Seq(condition)).contains)
    val plan = Project(Seq(Alias(condition, "satisfied")()), LocalRelation(read))
    new PythonSteps(Projected(read, columns) +: stepsOf(ExtractPythonUDFs(plan)))
  }

  sealed private trait Step extends Serializable {
    def over(rows: Iterator[InternalRow], partition: Int): Iterator[InternalRow]
  }

  final private case class Projected(terms: Seq[NamedExpression], columns: Seq[Attribute])
      extends Step {
    def over(rows: Iterator[InternalRow], partition: Int): Iterator[InternalRow] =
      rows.map(UnsafeProjection.create(terms, columns))
  }

  final private case class Evaluated(factory: EvalPythonEvaluatorFactory) extends Step {
    def over(rows: Iterator[InternalRow], partition: Int): Iterator[InternalRow] =
      factory.createEvaluator().eval(partition, rows)
  }

  /** Of a plan that Spark has taken the functions out of the expressions of. */
  private[this] def stepsOf(plan: LogicalPlan): Seq[Step] = plan match {
    case Project(terms, child) => stepsOf(child) :+ Projected(terms, child.output)
    case b: BatchEvalPython =>
      stepsOf(b.child) :+ Evaluated(new Batches(b.udfs, b.resultAttrs, Rows(b.child.output)).made)
    case a: ArrowEvalPython =>
      val exec = new ArrowBatches(a.udfs, a.resultAttrs, Rows(a.child.output), a.evalType)
      stepsOf(a.child) :+ Evaluated(exec.made)
    case _: LocalRelation => Nil
    case other => throw new IllegalStateException(s"a condition in Python became $other")
  }

  // What these say of how they evaluate is for their kinds alone.
  final private class Batches(udfs: Seq[PythonUDF], results: Seq[Attribute], child: SparkPlan)
      extends BatchEvalPythonExec(udfs, results, child) {
    def made: EvalPythonEvaluatorFactory = evaluatorFactory
  }

  final private class ArrowBatches(
      udfs: Seq[PythonUDF],
      results: Seq[Attribute],
      child: SparkPlan,
      evalType: Int
  ) extends ArrowEvalPythonExec(udfs, results, child, evalType) {
    def made: EvalPythonEvaluatorFactory = evaluatorFactory
  }

  /** Rows that a task has. */
  final private case class Rows(output: Seq[Attribute]) extends LeafExecNode {
    override protected def doExecute(): RDD[InternalRow] =
      throw new IllegalStateException("a task's own rows are in no plan")
  }
}
