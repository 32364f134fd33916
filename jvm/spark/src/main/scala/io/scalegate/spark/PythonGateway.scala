package io.scalegate.spark

import org.apache.spark.sql.{DataFrame, SparkSession}

import io.scalegate.spark.join.plan.{JoinReport, WindowJoinStrategy}
import io.scalegate.spark.settings.{ScaleGateConf, SparkRelease}

/** What Python asks the JVM over py4j: which build this is, and whether a session has it.
  *
  * Driver only. It holds nothing; any thread of py4j may call it.
  */
object PythonGateway {

  /** The package's version. */
  def version(): String = SparkRelease.version

  /** The Spark version this jar was compiled for. */
  def sparkVersion(): String = SparkRelease.builtFor

  /** Why no session of this JVM has the package though its jar is there; null where that is no reason. */
  def obstacle(): String = SparkRelease.obstacle.orNull

  /** A line for each join of a batch query: whether it is run here, and if not, why. */
  def joins(frame: DataFrame): String = JoinReport.lines(frame).mkString("\n")

  /** Whether the session was started with the extensions and has them switched on. */
  def isActive(session: SparkSession): Boolean = SparkRelease.obstacle.isEmpty && {
    val state = session.asInstanceOf[org.apache.spark.sql.classic.SparkSession].sessionState
    state.planner.extraPlanningStrategies.contains(WindowJoinStrategy) &&
    ScaleGateConf.enabled(state.conf)
  }
}
