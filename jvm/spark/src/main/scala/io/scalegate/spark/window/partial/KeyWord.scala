package io.scalegate.spark.window.partial

import java.nio.ByteOrder

import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.types.DataType

/** Columns as the words that they are within an UnsafeRow; 0 where NULL. Public for generated code. */
object KeyWord {
  private[this] val bigEndian = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN

  def apply(value: Int): Long = if (bigEndian) value.toLong << 32 else value & 0xffffffffL
  def apply(value: Long): Long = value

  /** Whether a type has such words here; keys of other types are compared as rows. */
  private[scalegate] def has(keyType: DataType): Boolean =
    CodeGenerator.javaType(keyType) match {
      case CodeGenerator.JAVA_INT | CodeGenerator.JAVA_LONG => true
      case _ => false
    }
}
