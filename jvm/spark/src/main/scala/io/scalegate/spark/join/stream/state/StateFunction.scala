package io.scalegate.spark.join.stream.state

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry.TableFunctionBuilder
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo
import org.apache.spark.sql.classic.{Dataset, SparkSession}

import io.scalegate.spark.settings.{Constant, Errors, FunctionText}

/** SQL's `join_state(checkpoint, side[, operator])`, a table: what [[StateReader]] gives. The checkpoint is looked at
  * when the query is analyzed, on the driver.
  */
object StateFunction {

  /** As a session registers it. */
  val description: (FunctionIdentifier, ExpressionInfo, TableFunctionBuilder) = (
    FunctionIdentifier(FunctionText.JoinState.name),
    FunctionText.JoinState.info(getClass),
    arguments =>
      arguments match {
        case Seq(Constant.Text(checkpoint), Constant.Text(side)) => read(checkpoint, side, 0)
        case Seq(Constant.Text(checkpoint), Constant.Text(side), Constant.Whole(n)) =>
          read(checkpoint, side, n)
        case other => throw Errors.stateArguments(other.map(_.sql))
      }
  )

  private[this] def read(checkpoint: String, side: String, operator: Int) =
    StateReader.read(SparkSession.active, checkpoint, side, operator)
      .asInstanceOf[Dataset[_]].queryExecution.analyzed
}
