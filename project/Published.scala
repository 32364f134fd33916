import scala.xml.transform.{RewriteRule, RuleTransformer}
import scala.xml.{Elem, Node}

import sbt._

/** What releases say of themselves, and which there were. Python's build reads the repository's address from here. */
object Published {
  val repository = "https://github.com/scalegate/scalegate"

  val scm: ScmInfo = ScmInfo(url(repository), s"scm:git:$repository.git")

  val developers: List[Developer] =
    List(Developer("scalegate", "The ScaleGate contributors", "", url(repository)))

  /** Of the artifacts for Spark, what no program names. */
  val internal: Seq[String] =
    Seq("bounds", "checkpoint", "join", "plan", "rows", "rules", "settings", "window")
      .map(part => s"io.scalegate.spark.$part.*") :+ "org.apache.spark.sql.scalegate.*"

  private val Released = """## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d""".r

  /** The newest release before the version that is built, by the changelog's headings with a date, newest first. */
  def before(version: String, changelog: File): Option[String] =
    IO.readLines(changelog).collect { case Released(release) => release }.find(_ != version)

  /** A POM that names Spark itself, which programs and clusters bring: the build takes it from PySpark. */
  def withSpark(release: String): Node => Node = {
    val spark =
      <dependency>
        <groupId>org.apache.spark</groupId>
        <artifactId>spark-sql_2.13</artifactId>
        <version>{release}</version>
        <scope>provided</scope>
      </dependency>
    val rule = new RewriteRule {
      override def transform(node: Node): Seq[Node] = node match {
        case all: Elem if all.label == "dependencies" => all.copy(child = all.child ++ spark)
        case other => other
      }
    }
    new RuleTransformer(rule)(_)
  }
}
