package io.scalegate.spark.join.stream.cube

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  BoundReference,
  UnsafeProjection
}

/** Three rows that are held, one of each input, side by side: each has the columns of all inputs, and of these its own
  * input's are read. It travels to no other JVM; any thread.
  *
  * @param inputs
  *   the columns of each
  * @param held
  *   the columns of a row that is held
  */
final private[cube] class HeldTriples(inputs: Seq[Seq[Attribute]], held: Seq[Attribute]) {
  private[this] val own = AttributeSet(inputs.flatten)

  /** Those of the rows side by side. Columns that are not read have numbers of their own. */
  val columns: Seq[Attribute] = inputs.map(AttributeSet(_)).flatMap { ofInput =>
    held.map(column => if (ofInput.contains(column)) column else column.newInstance())
  }

  /** Makes a row that has the columns of one that is held, and in them what the three have of their own. */
  def project: UnsafeProjection = UnsafeProjection.create(
    held.zipWithIndex.map { case (column, i) =>
      if (own.contains(column)) column else BoundReference(i, column.dataType, column.nullable)
    },
    columns
  )
}
