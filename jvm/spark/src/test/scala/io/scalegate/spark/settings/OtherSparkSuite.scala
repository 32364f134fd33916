package io.scalegate.spark.settings

import java.io.{ByteArrayInputStream, InputStream}
import java.lang.reflect.InvocationTargetException
import java.net.{URL, URLClassLoader}
import java.nio.file.Files

import com.tngtech.archunit.core.importer.ClassFileImporter
import org.apache.spark.sql.SparkSessionExtensions
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.spark.{PythonGateway, ScaleGateExtensions}

/** What the jar does on a Spark that it was not built for: nothing, and it says so. */
final class OtherSparkSuite extends AnyFunSuite {

  /** Calls the provider as Spark's service loader would, where Spark says that it is `version` and has none of the
    * classes of its own but those that every Spark since 3.5 has where the provider looks for them. Gives the names of
    * the package's classes that were loaded.
    */
  private def loadedOn(version: String): Set[String] = on(version)(_.loadedOfOurs)

  /** What the package says there of why it adds nothing. */
  private def obstacleOn(version: String): Option[String] = on(version) { other =>
    val release = other.loadClass("io.scalegate.spark.settings.SparkRelease$")
    val said = release.getMethod("obstacle").invoke(release.getField("MODULE$").get(null))
    said.asInstanceOf[Option[String]]
  }

  private def on[T](version: String)(of: OtherSpark => T): T = {
    val thread = Thread.currentThread
    val (before, other) = (thread.getContextClassLoader, new OtherSpark(version))
    thread.setContextClassLoader(other)
    try {
      val provider = other.loadClass("io.scalegate.spark.ScaleGateExtensions")
      val instance = provider.getDeclaredConstructor().newInstance()
      val register = provider.getMethod("apply", classOf[SparkSessionExtensions])
      for (_ <- 1 to 2) register.invoke(instance, new SparkSessionExtensions)
      of(other)
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

  for (end <- Seq(".0", ".17", ".0-SNAPSHOT", ".0-preview2", ".0.7-vendor-12", ".1-amzn-0")) {
    val version = s"$minor$end"
    test(s"on Spark $version the provider asks for the rules, and says what they lack") {
      val why = obstacleOn(version).get
      assert(why.contains(s"this Spark $version lacks what it needs (java.lang.NoClassDefFound"))
      assert(why.contains("org/apache/spark/sql/"))
      assert(why.contains(s"pip install 'pyspark==$minor.*'"))
    }
  }

  test("two builds on one class path are refused, the same build twice is not") {
    def build(directory: String, spark: String): URL = {
      val made = Files.createTempDirectory(directory)
      val text = s"version=${SparkRelease.version}\nspark=$spark\n"
      Files.writeString(made.resolve("scalegate-build.properties"), text)
      made.toUri.toURL
    }
    def jarsOf(builds: URL*) =
      SparkRelease.jarsOf(new URLClassLoader(builds.toArray, ClassLoader.getPlatformClassLoader))
    val (one, same, other) = (build("a", "4.1.4"), build("b", "4.1.4"), build("c", "4.2.1"))
    assert(jarsOf(one, same).size == 1)
    val two = jarsOf(one, other)
    assert(two.size == 2)
    val why = SparkRelease.obstacleOfJars(two)
    assert(why.startsWith("scalegate is on the class path more than once, so it adds nothing"))
    assert(why.contains(s"${SparkRelease.version} for Spark 4.1=${one.getPath.stripSuffix("/")}"))
    assert(
      why.contains(s"${SparkRelease.version} for Spark 4.2=${other.getPath.stripSuffix("/")}")
    )
    assert(why.contains("Keep the one jar that is built for this Spark"))
  }

  test("what runs on a Spark with another Scala needs no Scala collections") {
    val classes = new ClassFileImporter().importClasses(
      classOf[ScaleGateExtensions],
      SparkRelease.getClass,
      Class.forName("io.scalegate.spark.ScaleGateExtensions$")
    )
    assert(classes.size == 3)
    classes.forEach { each =>
      each.getDirectDependenciesFromSelf.forEach { dependency =>
        val name = dependency.getTargetClass.getName
        assert(!name.startsWith("scala.collection.") && !name.startsWith("scala.Predef"), name)
      }
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
