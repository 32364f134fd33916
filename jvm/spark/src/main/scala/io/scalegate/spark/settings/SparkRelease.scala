package io.scalegate.spark.settings

import java.util.Properties

/** The Spark that this build is for, and the one that it runs in. Releases of one minor keep the classes that the
  * package stands on; other minors move them.
  */
object SparkRelease {
  private[this] lazy val build: Properties = {
    val properties = new Properties()
    val in = getClass.getResourceAsStream("/scalegate-build.properties")
    try properties.load(in)
    finally in.close()
    properties
  }

  /** The package's version. */
  def version: String = build.getProperty("version")

  /** The Spark version this jar was compiled for. */
  def builtFor: String = build.getProperty("spark")

  /** Why the package stays out of the sessions of this JVM, and what to use instead; None where it does not. */
  lazy val obstacle: Option[String] = obstacleOf(builtFor, org.apache.spark.SPARK_VERSION)

  private[spark] def obstacleOf(builtFor: String, running: String): Option[String] = {
    val (ours, theirs) = (minor(builtFor), minor(running))
    if (ours == theirs) None
    else
      Some(
        s"scalegate $version is built for Spark $ours and this is Spark $running, so it adds nothing to this session: " +
          s"joins and aggregates are planned by Spark alone. Use Spark $ours (pip install 'pyspark==$ours.*') or the " +
          s"scalegate that is built for Spark $theirs, or take its jar out of spark.jars"
      )
  }

  /** `4.2` of `4.2.1`, of `4.2.0-SNAPSHOT` and of a vendor's `4.2.0.7-12`. */
  private[this] def minor(version: String): String = version.split("[.-]").take(2).mkString(".")
}
