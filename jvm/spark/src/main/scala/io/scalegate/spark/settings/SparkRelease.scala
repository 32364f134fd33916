package io.scalegate.spark.settings

import java.io.InputStream
import java.net.URL
import java.util.regex.Pattern
import java.util.{LinkedHashMap, Properties}

/** The Spark that this build is for, and the one that it runs in. Releases of one minor keep the classes that the
  * package stands on; other minors move them.
  *
  * Spark up to 3.5 may come with Scala 2.12, whose collections are others: nothing here may need Scala's.
  */
object SparkRelease {
  private[this] val BuildFile = "scalegate-build.properties"
  private[this] lazy val build: Properties = read(getClass.getResourceAsStream(s"/$BuildFile"))

  private[this] def read(in: InputStream): Properties = {
    val properties = new Properties()
    try properties.load(in)
    finally in.close()
    properties
  }

  /** The package's version. */
  def version: String = build.getProperty("version")

  /** The Spark version this jar was compiled for. */
  def builtFor: String = build.getProperty("spark")

  /** Why the package stays out of the sessions of this JVM, and what to use instead; None where it does not. */
  def obstacle: Option[String] = if (found.isDefined) found else missing

  private[this] lazy val found: Option[String] = {
    val jars = jarsOf(Thread.currentThread.getContextClassLoader)
    if (jars.size > 1) Some(obstacleOfJars(jars))
    else obstacleOf(builtFor, org.apache.spark.SPARK_VERSION)
  }

  @volatile private[this] var missing: Option[String] = None

  /** Notes, for all sessions, that this Spark has not all that the package needs; gives the obstacle that this is. */
  private[spark] def lacks(missed: LinkageError): String = {
    val why = obstacleOfLack(builtFor, org.apache.spark.SPARK_VERSION, missed)
    missing = Some(why)
    why
  }

  /** Each build of the package that a class loader finds, with where it lies: one, but where jars are mixed. */
  private[spark] def jarsOf(loader: ClassLoader): LinkedHashMap[String, String] = {
    val jars = new LinkedHashMap[String, String]
    val files = loader.getResources(BuildFile)
    while (files.hasMoreElements) {
      val file = files.nextElement()
      val properties = read(file.openStream())
      val name =
        s"${properties.getProperty("version")} for Spark ${minor(properties.getProperty("spark"))}"
      jars.putIfAbsent(name, jarOf(file))
    }
    jars
  }

  /** `/lib/scalegate.jar` of `jar:file:/lib/scalegate.jar!/scalegate-build.properties`. */
  private[this] def jarOf(file: URL): String =
    file.getPath.replace("file:", "").replace(s"/$BuildFile", "").replace("!", "")

  private[spark] def obstacleOfJars(jars: LinkedHashMap[String, String]): String =
    s"scalegate is on the class path more than once, so it adds nothing to this session: $jars. Keep the one jar that " +
      "is built for this Spark, and take the others out of spark.jars, of --jars and of the folder jars of Spark"

  private[spark] def obstacleOfLack(
      builtFor: String,
      running: String,
      missed: LinkageError
  ): String =
    s"scalegate $version is built for Spark $builtFor and this Spark $running lacks what it needs ($missed), so it " +
      "adds nothing to this session: joins and aggregates are planned by Spark alone. Use a release of Apache Spark " +
      s"${minor(builtFor)} (pip install 'pyspark==${minor(builtFor)}.*'), or take its jar out of spark.jars"

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

  private[this] val Minor = Pattern.compile("\\d+\\.\\d+")

  /** `4.2` of `4.2.1`, of `4.2.0-SNAPSHOT` and of a vendor's `4.2.0.7-12`. */
  private[spark] def minor(version: String): String = {
    val found = Minor.matcher(version)
    if (found.lookingAt()) found.group() else version
  }
}
