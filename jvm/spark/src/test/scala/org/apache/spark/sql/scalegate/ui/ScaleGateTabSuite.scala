package org.apache.spark.sql.scalegate.ui

import java.net.URI
import java.net.http.HttpResponse.BodyHandlers
import java.net.http.{HttpClient, HttpRequest}

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.scalegate.TestStreams.memoryStream
import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Seconds, Span}

import io.scalegate.BoundedWait
import io.scalegate.spark.join.stream.{Event, StreamingJoinSuite}

/** The tab of Spark's UI, as a browser gets it. */
final class ScaleGateTabSuite extends StreamingJoinSuite with Eventually {
  override protected def settings: Map[String, String] =
    super.settings ++ Map("spark.ui.enabled" -> "true", "spark.ui.port" -> "0")

  private val client = HttpClient.newHttpClient()

  private def get(path: String): String = {
    val port = spark.sparkContext.uiWebUrl.get.split(':').last
    val request = HttpRequest.newBuilder(URI.create(s"http://localhost:$port$path")).build()
    val answer = client.send(request, BodyHandlers.ofString())
    assert(answer.statusCode == 200, answer.body)
    answer.body
  }

  /** The page. */
  private def page: String = get("/ScaleGate/")

  /** A block of it for each query. */
  private def blocks: Seq[String] = page.split("scalegate-query").toSeq.tail

  /** The first block, when Spark has told its UI all of it: figures come a little after a query's end. */
  private def newest(having: String*): String =
    eventually(timeout(Span(BoundedWait.Seconds, Seconds))) {
      val block = blocks.headOption.getOrElse("").replaceAll("\\s+(?=<)", "")
      having.foreach(text => assert(block.contains(text), text))
      block
    }

  test("an application that ran none of ours has a tab that says so") {
    spark.sql("SELECT 1").collect()
    val empty = page
    assert(get("/jobs/").contains("/ScaleGate/"), "no link among the tabs")
    assert(empty.contains("No query of this application") && blocks.isEmpty)
  }

  test("a query shows how its join is run, the rows in and out, and the work of its tasks") {
    val query = "SELECT /*+ WINDOW_JOIN('sweep') */ a.id, b.id FROM range(0, 500, 1, 2) a " +
      "JOIN range(0, 400, 1, 2) b ON a.id % 7 = b.id % 7 AND abs(a.id - b.id) <= 7"
    val rows = spark.sql(query).collect().length
    val block = newest(
      "completed",
      "<td>WindowJoin</td>",
      "algorithm: sweep",
      "window: b.id - a.id",
      "<li>500</li><li>400</li>",
      f"<td>$rows%,d</td>",
      "comparisons: ",
      "rows of a task: "
    )
    val id = "/SQL/execution/\\?id=(\\d+)".r.findFirstMatchIn(block).get.group(1)
    assert(get(s"/SQL/execution/?id=$id").contains("WindowJoin"))
  }

  test("what a query is called by its author is text, not markup") {
    spark.sparkContext.setJobDescription("<script>alert(1)</script>")
    try spark.sql("SELECT count(*) FROM r JOIN s ON abs(r.i - s.i) <= 1").collect()
    finally spark.sparkContext.setJobDescription(null)
    newest("alert(1)")
    val shown = page
    assert(shown.contains("&lt;script&gt;alert(1)") && !shown.contains("<script>alert(1)"))
  }

  test("a window aggregate shows its windows and panes") {
    spark.sql(
      "SELECT window.start, count(*) FROM r GROUP BY window(ts, '1 hour', '10 minutes')"
    ).collect()
    newest("PaneWindows", "panes: ")
  }

  test("a stream shows its watermark, its state and its newest batch") {
    val session = spark.asInstanceOf[SparkSession]
    val left = memoryStream(Encoders.product[Event], session)
    val right = memoryStream(Encoders.product[Event], session)
    for ((name, rows) <- Seq("l" -> left.toDF(), "r" -> right.toDF()))
      rows.withWatermark("ts", "0 seconds").createOrReplaceTempView(name)
    // Of one that writes by foreachBatch Spark 4.0 keeps no figures of operators, its own among them.
    val checkpoint = newDirectory().toString
    val run =
      spark.sql(query).writeStream.format("noop").option("checkpointLocation", checkpoint).start()
    try {
      for (seconds <- Seq(1.0, 20.0)) {
        left.addData(at(seconds, 1), at(seconds + 4, 2))
        right.addData(at(seconds, 10), at(seconds + 4, 11))
        run.processAllAvailable()
      }
      newest(
        "running",
        "StreamingWindowJoin",
        "watermark: 1970-01-01T00:00:2",
        "rows of state: ",
        "state rows of the left side: ",
        "latency: "
      )
      assert(page.contains("Streams (1)"))
    } finally run.stop()
    newest(", ended,")
  }

  test("sessions of one application share one tab") {
    spark.newSession().sql("SELECT 1").collect()
    val tabs = spark.sparkContext.ui.get.getTabs.filter(_.name == ScaleGateTab.Name)
    assert(tabs.size == 1)
  }
}
