// A program of someone else, in Java, that has Spark on its class path: from PySpark, which has all its jars. The test
// says where they and the artifacts are, and how Spark is to be started.
autoScalaLibrary := false
crossPaths := false
resolvers += "staged" at sys.env("SCALEGATE_REPOSITORY")
libraryDependencies += "io.scalegate" % s"scalegate-spark-${sys.env("SCALEGATE_SPARK")}_2.13" %
  sys.env("SCALEGATE_VERSION")
Compile / unmanagedJars ++= (file(sys.env("SPARK_JARS")) * "*.jar").classpath
Compile / run / fork := true
outputStrategy := Some(StdoutOutput)
Compile / run / javaOptions ++= sys.env("SPARK_JAVA_OPTIONS").split(' ').toSeq
