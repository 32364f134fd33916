package io.scalegate.spark.settings

import java.io.{ByteArrayInputStream, InputStream}
import java.lang.reflect.InvocationTargetException
import java.net.{URL, URLClassLoader}

import org.apache.spark.sql.SparkSessionExtensions
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.spark.PythonGateway

/** What the jar does on a Spark that it was not built for: nothing, and it says so. */
final class OtherSparkSuite extends AnyFunSuite {

  /** Calls the provider as Spark's service loader would, where Spark says that it is `version` and has none of the
    * classes of its own but those that every Spark since 3.5 has where the provider looks for them. Gives the names of
    * the package's classes that were loaded.
    */
  private def loadedOn(version: String): Set[String] = {
    val thread = Thread.currentThread
    val (before, other) = (thread.getContextClassLoader, new OtherSpark(version))
    thread.setContextClassLoader(other)
    try {
      val provider = other.loadClass("io.scalegate.spark.ScaleGateExtensions")
      val instance = provider.getDeclaredConstructor().newInstance()
      val register = provider.getMethod("apply", classOf[SparkSessionExtensions])
      for (_ <- 1 to 2) register.invoke(instance, new SparkSessionExtensions)
      other.loadedOfOurs
    } catch {
      case e: InvocationTargetException => throw e.getCause
    } finally {
      thread.setContextClassLoader(before)
      other.close()
    }
  }

  private val minor = SparkRelease.builtFor.split('.').take(2).mkString(".")

  for {
    version <- Seq("3.5.9", "4.0.5", "4.1.4", "4.2.1", "4.3.0", "5.0.0-SNAPSHOT")
    if !version.startsWith(s"$minor.")
  }
    test(
      s"on Spark $version the provider registers nothing and loads none of the classes that moved"
    ) {
      val loaded = loadedOn(version)
      assert(loaded("io.scalegate.spark.settings.SparkRelease$"))
      assert(!loaded.exists(_.contains("ScaleGateRules")))
      assert(!loaded.exists(name => name.contains(".plan.") || name.contains(".aggregate.")))
    }

  for (end <- Seq(".0", ".17", ".0-SNAPSHOT", ".0.7-vendor-12")) {
    val version = s"$minor$end"
    test(s"on Spark $version the provider asks for the rules") {
      val missing = intercept[LinkageError](loadedOn(version))
      assert(missing.getMessage.contains("org/apache/spark/sql/"))
    }
  }

  test("the warning says what to use") {
    val warning = SparkRelease.obstacleOf("4.2.0", "4.1.4").get
    assert(warning.contains("is built for Spark 4.2 and this is Spark 4.1.4, so it adds nothing"))
    assert(warning.contains("pip install 'pyspark==4.2.*'"))
    assert(warning.contains("the scalegate that is built for Spark 4.1"))
  }

  test("this Spark is the one that the build is for") {
    assert(SparkRelease.obstacle.isEmpty)
    assert(PythonGateway.obstacle() == null)
    assert(
      PythonGateway.version().nonEmpty && PythonGateway.sparkVersion() == org.apache.spark.SPARK_VERSION
    )
  }
}

/** Loads the package, and what tells Spark's version, anew; of Spark's SQL it finds only what has been in its place
  * since 3.5.
  */
final private class OtherSpark(version: String)
    extends URLClassLoader(OtherSpark.classPath, classOf[OtherSparkSuite].getClassLoader) {
  import OtherSpark._

  private[this] val loaded = Set.newBuilder[String]

  def loadedOfOurs: Set[String] = loaded.result()

  override def loadClass(name: String, resolve: Boolean): Class[_] =
    if (name.startsWith(SparkSql) && !Stayed(name)) throw new ClassNotFoundException(name)
    else if (name.startsWith(Ours) || TellsVersion.exists(name.startsWith))
      getClassLoadingLock(name).synchronized {
        Option(findLoadedClass(name)).getOrElse {
          if (name.startsWith(Ours)) loaded += name
          findClass(name)
        }
      }
    else super.loadClass(name, resolve)

  override def getResourceAsStream(name: String): InputStream =
    if (name == "spark-version-info.properties")
      new ByteArrayInputStream(s"version=$version\n".getBytes("UTF-8"))
    else super.getResourceAsStream(name)
}

private object OtherSpark {
  private val Ours = "io.scalegate."
  private val SparkSql = "org.apache.spark.sql."
  private val Stayed =
    Set("SparkSessionExtensions", "SparkSessionExtensionsProvider").map(SparkSql + _)
  private val TellsVersion =
    Seq("org.apache.spark.package", "org.apache.spark.SparkBuildInfo")

  /** Where the classes that are loaded anew lie. */
  private val classPath: Array[URL] =
    System.getProperty("java.class.path").split(java.io.File.pathSeparator).map(p =>
      new java.io.File(p).toURI.toURL
    )
}
