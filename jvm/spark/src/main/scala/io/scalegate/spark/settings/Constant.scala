package io.scalegate.spark.settings

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{IntegerType, StringType}

/** Constant arguments of a table function, which the driver evaluates when a query is analyzed; NULL is none. */
object Constant {
  object Text {
    def unapply(argument: Expression): Option[String] =
      value(argument).filter(_ => argument.dataType.isInstanceOf[StringType]).map(_.toString)
  }

  object Whole {
    def unapply(argument: Expression): Option[Int] =
      value(argument).filter(_ => argument.dataType == IntegerType).map(_.asInstanceOf[Int])
  }

  private[this] def value(argument: Expression): Option[Any] =
    if (argument.foldable) Option(argument.eval()) else None
}
