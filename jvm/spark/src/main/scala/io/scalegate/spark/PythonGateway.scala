package io.scalegate.spark

import io.scalegate.spark.settings.SparkRelease

/** What Python asks the JVM over py4j: which build this is, and for which Spark. What it asks a session goes through
  * SQL and hints, which clients of Spark Connect can send, too.
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
}
