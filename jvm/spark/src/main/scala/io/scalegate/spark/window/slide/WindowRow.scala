package io.scalegate.spark.window.slide

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  CreateNamedStruct,
  Literal,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.StructType

/** A row of keys and window, whose window is changed in place. One thread, the task's.
  *
  * @param of
  *   the window's column, a STRUCT of a start and an end of one timestamp type
  */
final private[window] class WindowRow(keys: Seq[Attribute], of: Attribute) {
  private[this] val make = {
    val ends = of.dataType.asInstanceOf[StructType].fields.toSeq
    val window =
      CreateNamedStruct(ends.flatMap(f => Seq(Literal(f.name), Literal(0L, f.dataType))))
    UnsafeProjection.create(keys :+ window, keys)
  }
  private[this] var window: UnsafeRow = _

  var row: UnsafeRow = _

  def begin(key: UnsafeRow): Unit = {
    row = make(key)
    window = row.getStruct(row.numFields - 1, 2)
  }

  def move(start: Long, end: Long): Unit = {
    window.setLong(0, start)
    window.setLong(1, end)
  }
}
