package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

/** An input of a join and its attributes that the condition bounds. */
final class BoundedInput(val bounded: Seq[Expression], val output: Seq[Attribute])
    extends Serializable
