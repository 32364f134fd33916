/** Every version the build depends on. Python's set-up reads `spark` from here, so that the jar
  * and the PySpark it is tested with can never differ.
  */
object Versions {
  val project = "0.1.0"
  val scala = "2.13.18"
  val spark = "4.2.0"
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

  /** Of a peer that the bench measures; it logs nothing. */
  val flink = "1.20.1"
  val slf4jNop = "1.7.36"
}
