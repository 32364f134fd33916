import com.typesafe.tools.mima.core.{Problem, ProblemFilters}

ThisBuild / organization := "io.scalegate"
ThisBuild / version := Versions.project
ThisBuild / scalaVersion := Versions.scala
ThisBuild / licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0"))
ThisBuild / homepage := Some(url(Published.repository))
ThisBuild / scmInfo := Some(Published.scm)
ThisBuild / developers := Published.developers
ThisBuild / organizationName := "ScaleGate"
ThisBuild / organizationHomepage := Some(url(Published.repository))
ThisBuild / versionScheme := Some("early-semver")
// A directory in Maven's form: what Maven Central is sent, and what the tests' programs are built with.
ThisBuild / publishTo := localStaging.value
ThisBuild / semanticdbEnabled := true
ThisBuild / semanticdbVersion := Versions.semanticdb
// Four test JVMs at once, on two cores: each waits for its own threads a third of the time, and with more of them beside
// Python's a slow machine takes minutes for what a test waits for.
Global / concurrentRestrictions := Seq(
  Tags.limitAll(6),
  Tags.limit(Tags.ForkedTestGroup, 4),
  Tags.exclusiveGroup(Tags.Clean)
)

/** What a forked JVM needs on 17 and later: the Vector API, and the doors Spark's own launcher opens. */
val jvmFlags = Seq("--add-modules=jdk.incubator.vector") ++ Seq(
  "java.lang",
  "java.lang.invoke",
  "java.lang.reflect",
  "java.io",
  "java.net",
  "java.nio",
  "java.util",
  "java.util.concurrent",
  "java.util.concurrent.atomic",
  "jdk.internal.ref",
  "sun.nio.ch",
  "sun.nio.cs",
  "sun.security.action",
  "sun.util.calendar"
).map(p => s"--add-opens=java.base/$p=ALL-UNNAMED")

/** For JVMs that run much code a few times each: the second compiler costs more than it saves. Without it the JVM's
  * default is a small code cache, which is swept, and its methods compiled again.
  */
val oneCompiler = Seq("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=320m")

val common = Seq(
  scalacOptions ++= Seq(
    "-deprecation",
    "-feature",
    "-unchecked",
    "-Xlint",
    "-Wunused",
    "-Wdead-code",
    "-Wconf:any:error"
  ),
  Test / fork := true,
  Test / javaOptions ++= jvmFlags ++ Seq("-Xmx3g", "-XX:+UseSerialGC"),
  Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oDF"),
  Test / parallelExecution := false,
  // Lincheck transforms the classes that it runs: new code in each test. What the second compiler reorders is tested
  // by jcstress.
  Test / testGrouping := {
    val options = (Test / forkOptions).value
    val (lincheck, others) =
      (Test / definedTests).value.partition(_.name.endsWith("LincheckSuite"))
    def group(name: String, suites: Seq[TestDefinition], more: Seq[String] = Nil) =
      Tests.Group(
        name,
        suites,
        Tests.SubProcess(options.withRunJVMOptions(options.runJVMOptions ++ more))
      )
    Seq(group("lincheck", lincheck, oneCompiler), group("others", others)).filter(
      _.tests.nonEmpty
    )
  }
)

val unpublished = Seq(
  publish / skip := true,
  Compile / doc / sources := Nil,
  mimaFailOnNoPrevious := false
)

/** What a release carries to Maven: the API's pages, held against the release before, and its bill of materials. */
val published = Seq(
  pomIncludeRepository := (_ => false),
  mimaPreviousArtifacts := Published
    .before(version.value, (ThisBuild / baseDirectory).value / "CHANGELOG.md")
    .map(organization.value %% moduleName.value % _)
    .toSet,
  mimaFailOnNoPrevious := mimaPreviousArtifacts.value.nonEmpty
)

val testLibraries = Seq(
  "org.scalatest" %% "scalatest" % Versions.scalatest % Test,
  "org.scalacheck" %% "scalacheck" % Versions.scalacheck % Test,
  "org.scalatestplus" %% "scalacheck-1-18" % Versions.scalatestPlusScalacheck % Test
)

/** What a task of an engine needs: gates, columns, indexes of windows, the join of one thread. No Spark, no library. */
lazy val core = project
  .in(file("jvm/core"))
  .settings(common, published)
  .settings(
    name := "scalegate-core",
    description := "Gates that merge streams, indexes of windows and joins of one task, on the JDK alone",
    libraryDependencies ++= testLibraries :+ "org.jetbrains.kotlinx" % "lincheck-jvm" % Versions
      .lincheck % Test
  )

/** The papers' operators: parallel joins, aggregates, their indexes, and what they are measured against. */
lazy val operators = project
  .in(file("jvm/operators"))
  .dependsOn(core % "compile->compile;test->test")
  .settings(common, published)
  .settings(
    name := "scalegate-operators",
    description := "Parallel joins and aggregates of streams within one JVM, as published",
    libraryDependencies ++= testLibraries ++ Seq(
      "org.hdrhistogram" % "HdrHistogram" % Versions.hdrHistogram,
      // Spark has it on its class path; it must not be there twice.
      "org.apache.datasketches" % "datasketches-java" % Versions.datasketches % Provided,
      "org.jetbrains.kotlinx" % "lincheck-jvm" % Versions.lincheck % Test
    ),
    Test / sourceGenerators += Def.task {
      val page = (ThisBuild / baseDirectory).value / "docs" / "windows.md"
      Seq(DocumentedScala.source(page, (Test / sourceManaged).value))
    }.taskValue
  )

/** The jars of a release of Spark: those within its PySpark, which project/setup-spark.sh installs. */
def sparkJars(release: String) = Def.task {
  val jars =
    (ThisBuild / baseDirectory).value / ".build" / "pyspark" / release / "pyspark" / "jars"
  if (!jars.exists) sys.error(s"no $jars: run project/setup-spark.sh ${Versions.minor(release)}")
  val all = ((jars * "*.jar") --- (jars * "scala-library-*.jar")).get()
  // Spark's own first: what runs its queries looks for their classes' bytes again and again, one jar after the other.
  all.sortBy(jar => (!jar.name.startsWith("spark-"), jar.name)).classpath
}

/** Sources that some minors of Spark have in another form, in directories named after the minors that they serve, as in
  * 4.1-4.3.
  */
def shims(parent: File, minor: String): Seq[File] = {
  def number(minor: String) = minor.split('.')(1).toInt
  IO.listFiles(parent).toSeq.sorted.filter { directory =>
    val served = directory.getName.split('-').map(number)
    served.head <= number(minor) && number(minor) <= served.last
  }
}

/** The classes of a library, as they lie in a jar. */
def classesOf(library: String) = Def.task {
  val jars =
    (Compile / dependencyClasspath).value.files.filter(_.getName.startsWith(s"$library-"))
  val unpacked = (Compile / target).value / "libraries" / library
  jars.foreach(IO.unzip(_, unpacked, (entry: String) => entry.endsWith(".class")))
  (unpacked ** "*.class").pair(Path.relativeTo(unpacked))
}

lazy val oneJar =
  taskKey[File]("the wheel's jar, which carries the classes of core and of the operators")

/** Catalyst: extractor, rules, strategy, exec nodes. One project for each minor of Spark, of the same sources but for
  * the shims. Two jars are made of it. The wheel's carries core's and the operators' classes, for it is all that Spark's
  * class path gets. Maven's has its own classes alone and a POM that depends on both: a program that uses
  * scalegate-operators as well would have their classes twice otherwise.
  */
def sparkProject(id: String, base: String, release: String): Project = {
  val minor = Versions.minor(release)
  Project(id, file(base))
    .dependsOn(core % "compile->compile;test->test", operators % "compile->compile;test->test")
    .settings(common, published)
    .settings(inConfig(Compile)(Defaults.packageTaskSettings(oneJar, packageBin / mappings)))
    .settings(
      name := s"scalegate-spark-$minor",
      // sbt would take the dot out of it.
      moduleName := s"scalegate-spark-$minor",
      description := s"Band, interval and window joins and sliding-window aggregates for Spark $minor",
      pomPostProcess := Published.withSpark(release),
      // What programs name is in io.scalegate.spark itself; the packages below are how Spark runs it.
      mimaBinaryIssueFilters ++= Published.internal.map(ProblemFilters.exclude[Problem](_)),
      libraryDependencies ++= testLibraries ++ Seq(
        "org.hdrhistogram" % "HdrHistogram" % Versions.hdrHistogram,
        "com.tngtech.archunit" % "archunit" % Versions.archunit % Test
      ),
      sourceDirectory := (ThisBuild / baseDirectory).value / "jvm" / "spark" / "src",
      // What the checks read; they look at these sources once.
      semanticdbEnabled := release == Versions.spark,
      Compile / unmanagedSourceDirectories ++=
        shims((Compile / sourceDirectory).value / "shims", minor),
      Test / unmanagedSourceDirectories ++=
        shims((Test / sourceDirectory).value / "shims", minor),
      Compile / unmanagedJars ++= sparkJars(release).value,
      Test / baseDirectory := (ThisBuild / baseDirectory).value / "jvm" / "spark",
      // Thousands of small queries, each of other code; a heap and a metaspace that grow are collected whole each time.
      Test / javaOptions ++= oneCompiler ++ Seq("-Xms1g", "-Xmn512m", "-XX:MetaspaceSize=256m"),
      // This lets groups run at once; within its JVM a group's suites still run one after the other.
      Test / parallelExecution := true,
      // Three JVMs, which take as long as each other: the last begins when core's or the operators' tests have ended. Each
      // takes 30 s of processor time until it is warm; of two, which wait for streams more often than three do, the tests
      // took longer. A suite and its form with a broadcast ask plain Spark for the same rows, which are kept within a JVM.
      Test / testGrouping := {
        val process = Tests.SubProcess((Test / forkOptions).value)
        val suites = (Test / definedTests).value.groupBy(_.name.replace(".Broadcast", "."))
        Suites.shared(suites.values.toSeq.map(_.sortBy(_.name)), 3)(_.map(_.name)).zipWithIndex.map {
          case (members, third) => Tests.Group(s"third-$third", members.flatten, process)
        }
      },
      Compile / resourceGenerators += Def.task {
        val file = (Compile / resourceManaged).value / "scalegate-build.properties"
        IO.write(file, s"version=${Versions.project}\nspark=$release\n")
        Seq(file)
      }.taskValue,
      // The Python package reads this before a session starts, when no JVM could answer yet.
      Compile / packageBin / packageOptions +=
        Package.ManifestAttributes("Built-For-Spark" -> release),
      Compile / oneJar / packageOptions := (Compile / packageBin / packageOptions).value,
      // What Spark does not ship and the jar needs: core, the papers' operators, and a histogram.
      Compile / oneJar / mappings ++=
        ((core / Compile / packageBin / mappings)
          .value ++ (operators / Compile / packageBin / mappings).value)
          .filterNot(_._2.startsWith("META-INF/")),
      Compile / oneJar / mappings ++= classesOf("HdrHistogram").value,
      Compile / oneJar / artifactPath := (ThisBuild / baseDirectory).value / "target" /
        s"scalegate-spark-${minor}_2.13-${version.value}.jar",
      oneJar := (Compile / oneJar).value
    )
}

lazy val spark = sparkProject("spark", "jvm/spark", Versions.spark)

/** The other minors, as spark40; not of the whole, for they need what project/setup-spark.sh installs. */
lazy val otherSparks = new CompositeProject {
  val componentProjects: Seq[Project] =
    Versions.sparks.filter(_ != Versions.spark).map { release =>
      val minor = Versions.minor(release)
      sparkProject(s"spark${minor.replace(".", "")}", s"target/spark-$minor", release)
    }
}

lazy val sample = taskKey[Unit]("jcstress in a short form")

/** jcstress: memory-order claims of the lock-free classes. Java sources: its processor reads them. */
lazy val stress = project
  .in(file("jvm/stress"))
  .dependsOn(operators)
  .settings(common, unpublished)
  .settings(
    name := "scalegate-stress",
    libraryDependencies += "org.openjdk.jcstress" % "jcstress-core" % Versions.jcstress,
    Compile / run / fork := true,
    Compile / run / baseDirectory := target.value, // its reports go to the working directory
    Compile / run / mainClass := Some("org.openjdk.jcstress.Main"),
    // jcstress's processor lists the tests that one compilation saw: it has to see all.
    Compile / incOptions ~= (_.withRecompileAllFraction(0.0)),
    // A sixth of the tests, others each day; SCALEGATE_STRESS=all for all. One JVM mode, C2 with its passes shuffled:
    // jcstress's own quick mode starts three and a half times as many JVMs. `make soak` goes through all modes of all.
    sample := Def.taskDyn {
      val _ = (Compile / compile).value
      val sources = ((Compile / sourceDirectory).value / "java" ** "*.java").get().sorted
      val tests = sources.filter(IO.read(_).contains("@JCStressTest")).map(_.base)
      val parts = if (sys.env.get("SCALEGATE_STRESS").contains("all")) 1 else 6
      val part = java.time.LocalDate.now.toEpochDay % parts
      val chosen = tests.zipWithIndex.collect { case (test, i) if i % parts == part => test }
      val list = IO.read((Compile / classDirectory).value / "META-INF" / "TestList")
      val missing = chosen.filterNot(test => list.contains(s".$test"))
      if (missing.nonEmpty) sys.error(s"jcstress does not list ${missing.mkString(", ")}")
      streams.value.log.info(s"jcstress: ${chosen.size} of ${tests.size} files of tests")
      val shuffled = Seq("LCM", "GCM", "IGVN", "CCP").map("-XX:+Stress" + _).mkString(" ")
      (Compile / run).toTask(
        s""" -m quick -sc false -af NONE -time 300 -iters 1 -v -jvmArgs "$shuffled" """ +
          s"-t ${chosen.mkString(".*[.](", "|", ")([._].*)?")}"
      )
    }.value
  )

/** JMH micro benchmarks and the operator harness, on the queries that the tests run. */
lazy val bench = project
  .in(file("bench/jmh"))
  .dependsOn(operators % "compile->compile;compile->test")
  .enablePlugins(JmhPlugin)
  .settings(common, unpublished)
  .settings(
    name := "scalegate-bench",
    javaOptions ++= jvmFlags,
    Compile / run / fork := true
  )

/** The streams of the live bench, which both of the next have. */
lazy val pacedSources = Def.setting(
  (ThisBuild / baseDirectory).value / "bench" / "paced" / "src" / "main" / "scala"
)

/** Of a broker over which they go. */
lazy val kafkaClients = Seq("org.apache.kafka" % "kafka-clients" % Versions.kafka)

/** Joins of live streams in Spark, whose latency the bench measures. */
lazy val live = project
  .in(file("bench/live"))
  .dependsOn(spark)
  .settings(common, unpublished)
  .settings(
    name := "scalegate-bench-live",
    Compile / unmanagedSourceDirectories += pacedSources.value,
    libraryDependencies ++= kafkaClients ++ Seq(
      "org.apache.spark" %% "spark-sql-kafka-0-10" % Versions.kafkaSource,
      "org.apache.spark" %% "spark-token-provider-kafka-0-10" % Versions.kafkaSource,
      "org.apache.commons" % "commons-pool2" % Versions.commonsPool
    ).map(_.excludeAll(ExclusionRule())),
    Compile / unmanagedJars ++= sparkJars(Versions.spark).value
  )

/** Engines of others that the bench measures beside ours. No part of the whole: only the bench needs what they need. */
lazy val peers = project
  .in(file("bench/peers"))
  .settings(common, unpublished)
  .settings(
    name := "scalegate-bench-peers",
    Compile / unmanagedSourceDirectories += pacedSources.value,
    libraryDependencies ++= kafkaClients ++ Seq(
      "org.apache.flink" % "flink-connector-kafka" % Versions.flinkKafka excludeAll ExclusionRule(),
      "org.apache.flink" % "flink-connector-base" % Versions.flink,
      "org.hdrhistogram" % "HdrHistogram" % Versions.hdrHistogram,
      "org.apache.flink" % "flink-streaming-java" % Versions.flink,
      "org.apache.flink" % "flink-clients" % Versions.flink,
      "org.slf4j" % "slf4j-nop" % Versions.slf4jNop
    )
  )

lazy val root = project
  .in(file("."))
  .aggregate(core, operators, spark, stress, bench)
  .settings(unpublished)
  .settings(
    name := "scalegate",
    // By such files project/test.sh and this build wait for each other.
    commands ++= Seq(
      Command.single("touchFile") { (state, path) =>
        IO.touch(file(path))
        state
      },
      Command.single("awaitFile") { (state, path) =>
        while (!file(path).exists) Thread.sleep(500)
        val problem = IO.read(file(path)).trim
        if (problem.nonEmpty) sys.error(problem)
        state
      }
    )
  )
