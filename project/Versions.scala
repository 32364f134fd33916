/** Every version the build depends on. Python's set-up reads those of Spark from here, and the build compiles against the
  * jars within that PySpark, so that the jar and the PySpark it is tested with can never differ.
  */
object Versions {
  val project = "0.1.0"
  val scala = "2.13.18"

  /** The Spark of `make test`: one of those below. */
  val spark = "4.3.0"

  /** The newest release of each minor of Spark that there is a jar for. */
  val sparks = Seq("4.0.5", "4.1.4", "4.2.1", "4.3.0")

  /** One that there is no jar for, with Scala 2.12: tests look at what a jar says there. */
  val sparkWithoutJar = "3.5.9"

  /** `4.2` of `4.2.1`. */
  def minor(release: String): String = release.split('.').take(2).mkString(".")
  val scalatest = "3.2.19"
  val scalacheck = "1.18.1"
  val scalatestPlusScalacheck = "3.2.19.0"
  val archunit = "1.4.1"
  val semanticdb = "4.14.2"
  val hdrHistogram = "2.2.2"

  /** The one that Spark ships. */
  val datasketches = "6.2.0"
  val lincheck = "2.39"
  val jcstress = "0.16"

  /** Of the broker that Python's tests start; Spark brings its own version of the client. */
  val kafka = "3.9.2"

  /** Of Spark's Kafka source and sink, the newest of which is older than the newest Spark. */
  val kafkaSource = "4.2.0"
  val commonsPool = "2.13.1"

  /** Of a peer that the bench measures; it logs nothing. */
  val flink = "1.20.1"
  val flinkKafka = "3.4.0-1.20"
  val slf4jNop = "1.7.36"
}
