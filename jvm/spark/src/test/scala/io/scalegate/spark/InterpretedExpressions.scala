package io.scalegate.spark

import org.apache.spark.sql.internal.SQLConf
import org.scalatest.{Outcome, TestSuite}

/** Spark interprets the expressions of these tests, which have no session that could say so: to generate code for each
  * of many small tasks takes longer than their rows.
  */
trait InterpretedExpressions extends TestSuite {
  abstract override protected def withFixture(test: NoArgTest): Outcome =
    SQLConf.withExistingConf(InterpretedExpressions.conf)(super.withFixture(test))
}

private object InterpretedExpressions {
  private val conf: SQLConf = {
    val conf = new SQLConf
    conf.setConfString("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    conf
  }
}
