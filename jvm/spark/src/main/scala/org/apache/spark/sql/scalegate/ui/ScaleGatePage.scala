package org.apache.spark.sql.scalegate.ui

import java.util.Date

import scala.jdk.CollectionConverters._
import scala.xml.{Node, Text}

import jakarta.servlet.http.HttpServletRequest
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.apache.spark.sql.streaming.ui.StreamingQueryUIData
import org.apache.spark.ui.{UIUtils, WebUIPage}

/** The page of the [[ScaleGateTab]]: streams with what their newest batch did and what they hold, then queries of
  * batches, the newest first.
  */
final private[ui] class ScaleGatePage(tab: ScaleGateTab) extends WebUIPage("") {
  import ScaleGatePage._

  override def render(request: HttpServletRequest): Seq[Node] = {
    val shown = ShownQuery.last(tab.queries, Searched, System.currentTimeMillis())
    val (batches, queries) = shown.partition(_.run.nonEmpty)
    val streams = streamsOf(batches)
    val none =
      <p>No query of this application has run a join or a window aggregate of the package yet.</p>
    val content =
      <span>
        {if (shown.isEmpty) none else Nil}
        {
        section(
          "Streams",
          streams.map { case (stream, batch) => streamBlock(request, stream, batch) }
        )
      }
        {section("Queries", queries.map(queryBlock(request, _)))}
      </span>
    UIUtils.headerSparkPage(request, ScaleGateTab.Name, content, tab)
  }

  /** Each stream with its newest batch that is through, for one that runs has no figures yet, or else with its newest. */
  private[this] def streamsOf(batches: Seq[ShownQuery])
      : Seq[(StreamingQueryUIData, ShownQuery)] = {
    val newest = batches.groupBy(_.run.get).map { case (run, ofRun) =>
      run -> ofRun.find(_.isThrough).getOrElse(ofRun.head)
    }
    tab.streams.allQueryUIData.flatMap { stream =>
      newest.get(stream.summary.runId.toString).map(stream -> _)
    }
  }

  private[this] def section(title: String, blocks: Seq[Seq[Node]]): Seq[Node] =
    if (blocks.isEmpty) Nil
    else <h4>{s"$title (${blocks.length})"}</h4> ++ blocks.flatten

  private[this] def streamBlock(
      request: HttpServletRequest,
      stream: StreamingQueryUIData,
      batch: ShownQuery
  ): Seq[Node] = {
    val summary = stream.summary
    val name = Option(summary.name).getOrElse(summary.id.toString)
    val state = if (summary.isActive) "running" else "ended"
    val figures = Option(stream.lastProgress).toSeq.flatMap(progress(_))
    block(
      <strong>{name}</strong> ++ Text(s", $state, ") ++ link(request, batch, "newest batch"),
      figures,
      batch.operators
    )
  }

  private[this] def progress(batch: StreamingQueryProgress): Seq[(String, String)] = {
    val held = batch.stateOperators.toSeq
    Seq(
      "batch" -> batch.batchId.toString,
      "latency" -> UIUtils.formatDuration(batch.durationMs.asScala.get("triggerExecution")
        .fold(batch.batchDuration)(_.longValue)),
      "input rows" -> f"${batch.numInputRows}%,d",
      "input rows per second" -> f"${batch.inputRowsPerSecond}%,.0f"
    ) ++ Option(batch.eventTime.get("watermark")).map("watermark" -> _) ++
      Option.when(held.nonEmpty)("rows of state" -> f"${held.map(_.numRowsTotal).sum}%,d") ++
      Option.when(held.nonEmpty)(
        "memory of state" -> org.apache.spark.util.Utils
          .bytesToString(held.map(_.memoryUsedBytes).sum)
      )
  }

  private[this] def queryBlock(request: HttpServletRequest, query: ShownQuery): Seq[Node] = {
    val figures = Seq(
      "submitted" -> UIUtils.formatDate(new Date(query.submitted)),
      "took" -> UIUtils.formatDuration(query.took)
    )
    val heading = link(request, query, s"query ${query.id}") ++
      Text(s", ${query.status.toLowerCase}: ${query.description}")
    block(heading, figures, query.operators)
  }

  private[this] def link(
      request: HttpServletRequest,
      query: ShownQuery,
      text: String
  ): Seq[Node] = {
    val base = UIUtils.prependBaseUri(request, tab.basePath)
    <a href={s"$base/SQL/execution/?id=${query.id}"}>{text}</a>
  }

  private[this] def block(
      heading: Seq[Node],
      figures: Seq[(String, String)],
      operators: Seq[ShownOperator]
  ): Seq[Node] =
    <div class="scalegate-query mb-3">
      <div>{heading}</div>
      <div class="text-muted">{
      figures.map { case (name, value) => s"$name: $value" }.mkString(" · ")
    }</div>
      <div class="table-responsive"><table class="table table-bordered table-sm">
        <thead><tr><th>Operator</th><th>How it is run</th><th>Rows in</th><th>Rows out</th><th>Work: all tasks (least, median, most)</th></tr></thead>
        <tbody>{operators.map(row)}</tbody>
      </table></div>
    </div>

  private[this] def row(operator: ShownOperator): Node =
    <tr>
      <td>{operator.name}</td>
      <td>{list(operator.terms)}</td>
      <td>{list(operator.rowsIn)}</td>
      <td>{operator.rowsOut.getOrElse("")}</td>
      <td>{list(operator.work.map { case (name, value) => s"$name: $value" })}</td>
    </tr>

  private[this] def list(lines: Seq[String]): Seq[Node] =
    <ul class="list-unstyled mb-0">{lines.map(line => <li>{line}</li>)}</ul>
}

private object ScaleGatePage {

  /** Queries of the application that are looked at, of any kind, so that a page takes no longer than Spark's own. */
  val Searched = 200
}
