package org.apache.spark.sql.scalegate.stream

import java.util.UUID

import org.apache.hadoop.conf.Configuration

import io.scalegate.spark.SparkJoinSuite

/** The Hadoop configuration of a query's run is broadcast once. */
final class RunConfigurationSuite extends SparkJoinSuite {
  private def configuration(text: String) = {
    val made = new Configuration(false)
    made.set("scalegate.test", text)
    made
  }

  private def ofRun(run: UUID, text: String) =
    RunConfiguration(run, spark.sparkContext, configuration(text))

  test("a run's batches share what its first one broadcast, and no other run does") {
    val (one, other) = (UUID.randomUUID(), UUID.randomUUID())
    val first = ofRun(one, "one")
    assert(ofRun(other, "other").value.value.get("scalegate.test") == "other")
    assert(ofRun(one, "changed meanwhile") eq first)
    val seen = spark.sparkContext.parallelize(Seq(1), 1)
      .map(_ => first.value.value.get("scalegate.test")).collect()
    assert(seen.toSeq == Seq("one"))
  }

  test("what many runs have pushed out is broadcast again") {
    val run = UUID.randomUUID()
    val first = ofRun(run, "first")
    (1 to RunConfiguration.Most).foreach(_ => ofRun(UUID.randomUUID(), "another"))
    val again = ofRun(run, "again")
    assert(again.id != first.id)
    assert(again.value.value.get("scalegate.test") == "again")
    assert(first.value.value.get("scalegate.test") == "first") // a batch may still have it
  }
}
