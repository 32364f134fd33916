package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.stream.SortableKey

/** Reads a row's bounded attributes, or its keys, as the sortable integers that the core compares. Made and used within
  * a task; one thread. It holds the attributes of one row. Public for generated code.
  *
  * @param width
  *   how many attributes
  */
abstract class AttributeReader(width: Int) {

  /** The attributes of the row last read. */
  val keys = new Array[Long](width)

  /** False when one of the attributes is NULL: such a row matches nothing, and what `keys` holds means nothing. */
  def read(row: InternalRow): Boolean
}

object AttributeReader {

  /** Columns are read where they lie, without code of their own; other terms by generated code.
    *
    * @param attributes
    *   over `input`, of types that Spark's rows hold as an integer or a floating-point number
    * @param input
    *   the row's columns
    */
  def apply(attributes: Seq[Expression], input: Seq[Attribute]): AttributeReader = {
    val ordinals = attributes.collect { case column: Attribute =>
      input.indexWhere(_.exprId == column.exprId)
    }.filter(_ >= 0)
    if (ordinals.length < attributes.length) ComputedAttributes(attributes, input)
    else
      (ordinals, stored(attributes)) match {
        case (Seq(one), Seq("long")) => new LongReader(one)
        case (_, types) => new ColumnReader(ordinals.toArray, types)
      }
  }

  /** The Java types of the values. */
  private[rows] def stored(attributes: Seq[Expression]): Seq[String] =
    attributes.map(a => CodeGenerator.javaType(a.dataType))
}

/** Reads a column of 64 bits, as most keys and times are. */
final private class LongReader(ordinal: Int) extends AttributeReader(1) {
  private[this] val values = keys

  def read(row: InternalRow): Boolean = {
    val isPresent = !row.isNullAt(ordinal)
    if (isPresent) values(0) = row.getLong(ordinal)
    isPresent
  }
}

/** Reads columns.
  *
  * @param stored
  *   their Java types
  */
final private class ColumnReader(ordinals: Array[Int], stored: Seq[String])
    extends AttributeReader(ordinals.length) {
  import ColumnReader._

  private[this] val kinds = stored.map(Kinds.indexOf(_)).toArray

  def read(row: InternalRow): Boolean = {
    var i = 0
    while (i < ordinals.length && !row.isNullAt(ordinals(i))) {
      keys(i) = keyOf(row, ordinals(i), kinds(i))
      i += 1
    }
    i == ordinals.length
  }

  private[this] def keyOf(row: InternalRow, at: Int, kind: Int): Long = kind match {
    case 0 => row.getLong(at)
    case 1 => row.getInt(at).toLong
    case 2 => SortableKey.ofDouble(row.getDouble(at))
    case 3 => SortableKey.ofFloat(row.getFloat(at)).toLong
    case 4 => row.getShort(at).toLong
    case _ => row.getByte(at).toLong
  }
}

private object ColumnReader {

  /** As [[ColumnReader.keyOf]] tells them apart. */
  val Kinds = Vector("long", "int", "double", "float", "short", "byte")
}
