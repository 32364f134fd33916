package io.scalegate.spark

import org.apache.spark.sql.SparkSession

import io.scalegate.spark.plan.WindowJoinStrategy

/** What Python asks the JVM over py4j: which build this is, and whether a session has it. */
object ScaleGate {
  private[this] lazy val build: java.util.Properties = {
    val properties = new java.util.Properties()
    val in = getClass.getResourceAsStream("/scalegate-build.properties")
    try properties.load(in)
    finally in.close()
    properties
  }

  /** The package's version. */
  def version(): String = build.getProperty("version")

  /** The Spark version this jar was compiled for. */
  def sparkVersion(): String = build.getProperty("spark")

  /** Whether the session was started with the extensions and has them switched on. */
  def isActive(session: SparkSession): Boolean = {
    val state = session.asInstanceOf[org.apache.spark.sql.classic.SparkSession].sessionState
    state.planner.extraPlanningStrategies.contains(WindowJoinStrategy) &&
    ScaleGateConf.enabled(state.conf)
  }
}
