// A program of someone else that joins streams of its own threads. The test says where the artifacts are.
scalaVersion := sys.env("SCALEGATE_SCALA")
resolvers += "staged" at sys.env("SCALEGATE_REPOSITORY")
libraryDependencies ++= Seq(
  "io.scalegate" %% "scalegate-core" % sys.env("SCALEGATE_VERSION"),
  "io.scalegate" %% "scalegate-operators" % sys.env("SCALEGATE_VERSION")
)
Compile / run / fork := true
outputStrategy := Some(StdoutOutput)
