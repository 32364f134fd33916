package io.scalegate.spark.join

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
  Alias,
  Attribute,
  BoundReference,
  NamedExpression,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.util.truncatedString
import org.apache.spark.sql.execution.{
  CodegenSupport,
  OrderPreservingUnaryExecNode,
  PartitioningPreservingUnaryExecNode,
  SparkPlan,
  UnaryExecNode
}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods

import io.scalegate.stream.Side

/** The rows of a window join below, which are pairs of rows that lie where the join found them. Generated
  * code reads of them the columns that the operators above use, so that a pair which is only counted or
  * aggregated is never made into a row of its own. Of the probe side it reads them once for all pairs that a row
  * is in.
  *
  * @param columns
  *   those of the child that are given, some by other names
  * @param leftColumns
  *   how many of the child's columns are those of a pair's left row, which come first
  * @param probing
  *   the probe side, where the child gives [[JoinedPairs]]; else it gives [[AddressedPairs]]
  * @param leaving
  *   whether no generated code above reads the rows, which are then made whole, of words, see [[canLeave]]
  */
final case class WindowJoinOutputExec(
    columns: Seq[NamedExpression],
    leftColumns: Int,
    child: SparkPlan,
    probing: Option[Side] = None,
    leaving: Boolean = false
) extends UnaryExecNode
    with CodegenSupport
    with PartitioningPreservingUnaryExecNode
    with OrderPreservingUnaryExecNode {
  import WindowJoinOutputExec.renamed

  override def nodeName: String = "WindowJoinOutput"

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${truncatedString(columns, "[", ", ", "]", maxFields)}"

  override def output: Seq[Attribute] = columns.map(_.toAttribute)

  override protected def outputExpressions: Seq[NamedExpression] = columns

  override protected def orderingExpressions: Seq[SortOrder] = child.outputOrdering

  /** Whether the rows can be made of whole words. */
  def canLeave: Boolean = probing.isEmpty && WordRows.fits(source)

  override def supportCodegen: Boolean = !leaving

  override protected def doExecute(): RDD[InternalRow] = {
    val present = child.output
    val wanted = columns
    if (leaving) {
      val words = source.map(a => RowWord(if (isOf(Side.R, a)) Side.R else Side.S, indexInRow(a)))
      val widths = (columnsOf(Side.R), columnsOf(Side.S))
      child.execute().mapPartitions { pairs =>
        new WordRows(pairs.asInstanceOf[AddressedPairs], words, widths)
      }
    } else
      child.execute().mapPartitions { pairs =>
        val project = UnsafeProjection.create(wanted, present)
        pairs.map(project)
      }
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.execute() :: Nil

  override protected def canCheckLimitNotReached: Boolean = true

  override protected def doProduce(ctx: CodegenContext): String =
    probing.fold(eachPair(ctx))(eachProbe(ctx, _))

  private[this] def eachPair(ctx: CodegenContext): String = {
    val pairsClass = classOf[AddressedPairs].getName
    val input = inputOf(ctx)
    val pairs = ctx.freshName("pairs")
    val left = new RowCode(ctx, s"$pairs.left", columnsOf(Side.R))
    val right = new RowCode(ctx, s"$pairs.right", columnsOf(Side.S))
    val read =
      source.map(a => (if (isOf(Side.R, a)) left else right).read(a, indexInRow(a)))
    s"""
       |final $pairsClass $pairs = ($pairsClass) $input;
       |while ($limitNotReachedCond $pairs.advance()) {
       |  ${left.point}
       |  ${right.point}
       |  ${consume(ctx, read)}
       |  $shouldStopCheckCode
       |}
     """.stripMargin
  }

  /** Of any type until it is read: a union has the code of all of its inputs in one class, and where a task's rows are
    * another input's these are not of the join.
    */
  private[this] def inputOf(ctx: CodegenContext): String =
    ctx.addMutableState(classOf[Iterator[_]].getName, "pairs", v => s"$v = inputs[0];")

  private[this] def eachProbe(ctx: CodegenContext, side: Side): String = {
    val pairsClass = classOf[JoinedPairs].getName
    val input = inputOf(ctx)
    val pairs = ctx.freshName("pairs")
    val probe = ctx.freshName("probe")
    val found = new RowCode(ctx, s"$pairs.found", columnsOf(side.opposite))
    val all =
      source.map(a => if (isOf(side, a)) read(ctx, a, probe) else found.read(a, indexInRow(a)))
    val (probeColumns, readOfProbe) =
      output.zip(all).zip(source).collect { case (read, a) if isOf(side, a) => read }.unzip
    s"""
       |final $pairsClass $pairs = ($pairsClass) $input;
       |while ($limitNotReachedCond $pairs.atProbe()) {
       |  InternalRow $probe = $pairs.probe();
       |  ${evaluateRequiredVariables(probeColumns, readOfProbe, parent.references)}
       |  while ($limitNotReachedCond $pairs.nextMatch()) {
       |    ${found.point}
       |    ${consume(ctx, all)}
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
      BoundReference(indexInRow(column), column.dataType, column.nullable).genCode(ctx)
    ctx.INPUT_ROW = null
    code
  }

  /** The child's columns that are given. */
  private[this] def source: Seq[Attribute] = columns.map { c =>
    val column = renamed(c).getOrElse(throw new IllegalStateException(s"$c is no column"))
    child.output(indexOf(column))
  }

  private[this] def indexOf(column: Attribute): Int =
    child.output.indexWhere(_.exprId == column.exprId)

  private[this] def indexInRow(column: Attribute): Int =
    if (isOf(Side.R, column)) indexOf(column) else indexOf(column) - leftColumns

  private[this] def isOf(side: Side, column: Attribute): Boolean =
    (indexOf(column) < leftColumns) == (side eq Side.R)

  private[this] def columnsOf(side: Side): Int =
    if (side eq Side.R) leftColumns else child.output.length - leftColumns

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)
}

object WindowJoinOutputExec {

  /** The column that this one is, if it is no more than one by another name. */
  def renamed(column: NamedExpression): Option[Attribute] = column match {
    case a: Attribute => Some(a)
    case Alias(a: Attribute, _) => Some(a)
    case _ => None
  }
}

/** Code that reads a row where it lies. Columns of a fixed width take no more than its address: to point a row
  * there for each of many pairs takes longer than to read them.
  *
  * @param row
  *   gives the row; with `Base` and `Offset` after its name, in what it lies and where
  * @param width
  *   the columns of the row
  */
final private class RowCode(ctx: CodegenContext, row: String, width: Int) {
  private[this] val base = ctx.freshName("base")
  private[this] val offset = ctx.freshName("offset")
  private[this] val platform = classOf[Platform].getName
  private[this] val values = UnsafeRow.calculateBitSetWidthInBytes(width)

  /** Goes before all that reads. */
  def point: String =
    s"""
       |final Object $base = ${row}Base();
       |final long $offset = ${row}Offset();
     """.stripMargin

  def read(column: Attribute, at: Int): ExprCode =
    if (!CodeGenerator.isPrimitiveType(column.dataType)) {
      ctx.currentVars = null
      ctx.INPUT_ROW = s"$row()"
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
