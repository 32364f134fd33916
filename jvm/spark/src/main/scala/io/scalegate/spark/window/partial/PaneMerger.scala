package io.scalegate.spark.window.partial

import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodeAndComment,
  CodeFormatter,
  CodeGenerator,
  CodegenContext,
  ExprCode
}
import org.apache.spark.sql.catalyst.expressions.{
  BindReferences,
  BoundReference,
  CodeGeneratorWithInterpretedFallback,
  Expression,
  JoinedRow,
  MutableProjection,
  UnsafeRow
}

/** Merges partial results of fixed size where they lie. Public for generated code. One thread, the task's. */
abstract class PaneMerger {
  def initialize(partition: Int): Unit

  /** Merges the partial result of later rows, which stays as it is, into an older one. */
  def merge(older: UnsafeRow, newer: UnsafeRow): Unit
}

/** Makes mergers, within a task, in generated code that reads the two rows directly; with Spark's projections where
  * that fails, or is too long for the virtual machine to compile.
  */
private[scalegate] object PaneMerger
    extends CodeGeneratorWithInterpretedFallback[PaneFunctions, PaneMerger] {
  def apply(partition: Int, functions: PaneFunctions): PaneMerger = {
    val made = createObject(functions)
    made.initialize(partition)
    made
  }

  override protected def createInterpretedObject(functions: PaneFunctions): PaneMerger =
    new ProjectedMerger(functions)

  override protected def createCodeGeneratedObject(functions: PaneFunctions): PaneMerger = {
    val ctx = new CodegenContext
    ctx.INPUT_ROW = "newer"
    val newer = functions.partial.zipWithIndex.map { case (a, i) =>
      BoundReference(i, a.dataType, a.nullable).genCode(ctx)
    }
    val read = newer.map(_.code).mkString("\n")
    val values =
      BindReferences.bindReferences(functions.merged, functions.held ++ functions.partial)
    val merge = updating(ctx, values, "older", newer.map(v => ExprCode(v.isNull, v.value)))
    val body = s"""
      public java.lang.Object generate(Object[] references) {
        return new SpecificPaneMerger(references);
      }

      class SpecificPaneMerger extends ${classOf[PaneMerger].getName} {
        private Object[] references;
        ${ctx.declareMutableStates()}

        public SpecificPaneMerger(Object[] references) {
          this.references = references;
          ${ctx.initMutableStates()}
        }

        public void initialize(int partitionIndex) {
          ${ctx.initPartition()}
        }

        public void merge(UnsafeRow older, UnsafeRow newer) {
          $read
          $merge
        }

        ${ctx.declareAddedFunctions()}
      }
    """
    val code = CodeFormatter.stripOverlappingComments(
      new CodeAndComment(body, ctx.getPlaceHolderToComments())
    )
    val (made, size) = CodeGenerator.compile(code)
    if (size.maxMethodCodeSize > CodeGenerator.DEFAULT_JVM_HUGE_METHOD_LIMIT)
      createInterpretedObject(functions)
    else made.generate(ctx.references.toArray).asInstanceOf[PaneMerger]
  }

  /** Code that changes a partial result: all columns' new values are made before the first is changed.
    *
    * @param values
    *   of the columns: over those of `row`, and then `input`
    * @param row
    *   the name of the variable that holds the partial result
    * @param input
    *   variables that have been evaluated
    */
  def updating(
      ctx: CodegenContext,
      values: Seq[Expression],
      row: String,
      input: Seq[ExprCode]
  ): String = {
    // The columns of the result are read from the row.
    ctx.INPUT_ROW = row
    ctx.currentVars = Seq.fill[ExprCode](values.size)(null) ++ input
    val shared = ctx.subexpressionEliminationForWholeStageCodegen(values)
    val sharedCode = ctx.evaluateSubExprEliminationState(shared.states.values)
    val made = ctx.withSubExprEliminationExprs(shared.states)(values.map(_.genCode(ctx)))
    val written = values.zip(made).zipWithIndex.map { case ((value, code), i) =>
      CodeGenerator.updateColumn(row, value.dataType, i, code, value.nullable)
    }
    s"""
       |$sharedCode
       |${made.map(_.code).mkString("\n")}
       |${written.mkString("\n")}
     """.stripMargin
  }
}

/** Merges by a projection of Spark's. */
final private class ProjectedMerger(functions: PaneFunctions) extends PaneMerger {
  private[this] val joined = new JoinedRow
  private[this] val merged =
    MutableProjection.create(functions.merged, functions.held ++ functions.partial)

  override def initialize(partition: Int): Unit = merged.initialize(partition)

  override def merge(older: UnsafeRow, newer: UnsafeRow): Unit = {
    merged.target(older)(joined(older, newer))
    ()
  }
}
