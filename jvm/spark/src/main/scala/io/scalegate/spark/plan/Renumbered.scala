package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.types.MetadataBuilder

/** A column under another number, so that it is told apart from itself where an input meets itself. Spark takes an alias
  * of the same name away, but not one with other metadata.
  */
private[spark] object Renumbered {
  def apply(column: Attribute): NamedExpression = {
    val metadata =
      new MetadataBuilder().withMetadata(column.metadata).putBoolean("scalegate", true).build()
    Alias(column, column.name)(explicitMetadata = Some(metadata))
  }
}
