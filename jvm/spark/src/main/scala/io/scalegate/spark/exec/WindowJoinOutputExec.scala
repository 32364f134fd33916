package io.scalegate.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodeGenerator,
  CodegenContext,
  ExprCode,
  FalseLiteral,
  JavaCode
}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BoundReference,
  JoinedRow,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods

import io.scalegate.stream.Side

/** The rows of a window join below, which are pairs of rows that lie where the join found them. Generated
  * code reads of them the columns that the operators above use, so that a pair which is only counted or
  * aggregated is never made into a row of its own. Of the side that probes it reads them once for all pairs that a row
  * is in.
  *
  * @param output
  *   columns of the child
  * @param leftColumns
  *   how many of the child's columns are those of a pair's left row, which come first
  * @param probing
  *   the side that probes, where the child gives [[JoinedPairs]]
  */
final case class WindowJoinOutputExec(
    output: Seq[Attribute],
    leftColumns: Int,
    child: SparkPlan,
    probing: Option[Side] = None
) extends UnaryExecNode
    with CodegenSupport {
  override def nodeName: String = "WindowJoinOutput"

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    val columns = child.output
    val wanted = output
    child.execute().mapPartitions { pairs =>
      val project = UnsafeProjection.create(wanted, columns)
      pairs.map(project)
    }
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.execute() :: Nil

  override protected def canCheckLimitNotReached: Boolean = true

  override protected def doProduce(ctx: CodegenContext): String =
    probing.fold(eachPair(ctx))(eachProbe(ctx, _))

  private[this] def eachPair(ctx: CodegenContext): String = {
    val pairs = ctx.addMutableState("scala.collection.Iterator", "pairs", v => s"$v = inputs[0];")
    val pair = ctx.freshName("pair")
    val left = ctx.freshName("left")
    val right = ctx.freshName("right")
    val columns = output.map(a => read(ctx, a, if (isOf(Side.R, a)) left else right))
    s"""
       |while ($limitNotReachedCond $pairs.hasNext()) {
       |  ${classOf[JoinedRow].getName} $pair = (${classOf[JoinedRow].getName}) $pairs.next();
       |  InternalRow $left = $pair.getLeft();
       |  InternalRow $right = $pair.getRight();
       |  ${consume(ctx, columns)}
       |  $shouldStopCheckCode
       |}
     """.stripMargin
  }

  private[this] def eachProbe(ctx: CodegenContext, side: Side): String = {
    val pairsClass = classOf[JoinedPairs].getName
    val input =
      ctx.addMutableState(pairsClass, "pairs", v => s"$v = ($pairsClass) inputs[0];")
    val pairs = ctx.freshName("pairs")
    val probe = ctx.freshName("probe")
    val found = new FoundRow(ctx, pairs, columnsOf(side.opposite))
    val columns =
      output.map(a => if (isOf(side, a)) read(ctx, a, probe) else found.read(a, placeInRow(a)))
    val (probeColumns, readOfProbe) =
      output.zip(columns).filter { case (a, _) => isOf(side, a) }.unzip
    s"""
       |final $pairsClass $pairs = $input;
       |while ($limitNotReachedCond $pairs.atProbe()) {
       |  InternalRow $probe = $pairs.probe();
       |  ${evaluateRequiredVariables(probeColumns, readOfProbe, parent.references)}
       |  while ($limitNotReachedCond $pairs.nextMatch()) {
       |    ${found.point}
       |    ${consume(ctx, columns)}
       |    $shouldStopCheckCode
       |  }
       |}
     """.stripMargin
  }

  /** A column of the row in the variable of this name. */
  private[this] def read(ctx: CodegenContext, column: Attribute, row: String): ExprCode = {
    ctx.currentVars = null
    ctx.INPUT_ROW = row
    val code =
      BoundReference(placeInRow(column), column.dataType, column.nullable).genCode(ctx)
    ctx.INPUT_ROW = null
    code
  }

  private[this] def place(column: Attribute): Int =
    child.output.indexWhere(_.exprId == column.exprId)

  private[this] def placeInRow(column: Attribute): Int =
    if (isOf(Side.R, column)) place(column) else place(column) - leftColumns

  private[this] def isOf(side: Side, column: Attribute): Boolean =
    (place(column) < leftColumns) == (side eq Side.R)

  private[this] def columnsOf(side: Side): Int =
    if (side eq Side.R) leftColumns else child.output.length - leftColumns

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)
}

/** Code that reads a match's row where it lies. Columns of a fixed width take no more than its address: to point a row
  * there for each of many matches takes longer than to read them.
  *
  * @param pairs
  *   the variable with the [[JoinedPairs]]
  * @param width
  *   the columns of the row
  */
final private class FoundRow(ctx: CodegenContext, pairs: String, width: Int) {
  private[this] val base = ctx.freshName("foundBase")
  private[this] val offset = ctx.freshName("foundOffset")
  private[this] val platform = classOf[Platform].getName
  private[this] val values = UnsafeRow.calculateBitSetWidthInBytes(width)

  /** Goes before all that reads. */
  def point: String =
    s"""
       |final Object $base = $pairs.foundBase();
       |final long $offset = $pairs.foundOffset();
     """.stripMargin

  def read(column: Attribute, at: Int): ExprCode =
    if (!CodeGenerator.isPrimitiveType(column.dataType)) {
      ctx.currentVars = null
      ctx.INPUT_ROW = s"$pairs.found()"
      val code = BoundReference(at, column.dataType, column.nullable).genCode(ctx)
      ctx.INPUT_ROW = null
      code
    } else {
      val javaType = JavaCode.javaType(column.dataType)
      val isNull = JavaCode.isNullVariable(ctx.freshName("isNull"))
      val value = JavaCode.variable(ctx.freshName("value"), column.dataType)
      val name = CodeGenerator.primitiveTypeName(column.dataType)
      val get = s"$platform.get$name($base, $offset + ${values + at * UnsafeRow.WORD_SIZE})"
      if (column.nullable)
        ExprCode(
          code"""
             |boolean $isNull = ${classOf[BitSetMethods].getName}.isSet($base, $offset, $at);
             |$javaType $value = $isNull ? ${CodeGenerator.defaultValue(column.dataType)} : $get;
           """.stripMargin,
          isNull,
          value
        )
      else ExprCode(code"$javaType $value = $get;", FalseLiteral, value)
    }
}
