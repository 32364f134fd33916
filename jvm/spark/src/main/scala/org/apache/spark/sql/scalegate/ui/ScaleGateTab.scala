package org.apache.spark.sql.scalegate.ui

import org.apache.spark.sql.execution.ui.{SQLAppStatusStore, StreamingQueryStatusStore}
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.ui.{SparkUI, SparkUITab}

/** A tab of Spark's UI: the joins and window aggregates that this package runs, in queries that run and in the last ones
  * that did. It reads what Spark's own pages of queries and of streams keep, and keeps nothing itself; the server's
  * threads call it.
  */
final private[ui] class ScaleGateTab(
    ui: SparkUI,
    val queries: SQLAppStatusStore,
    val streams: StreamingQueryStatusStore
) extends SparkUITab(ui, ScaleGateTab.Prefix) {
  override val name = ScaleGateTab.Name

  attachPage(new ScaleGatePage(this))
}

object ScaleGateTab {
  val Name = "ScaleGate"
  val Prefix = "ScaleGate"

  /** Adds the tab to the UI of the session's application, if it has one and none of its sessions did so before. */
  def attach(session: SparkSession): Unit =
    for (ui <- session.sparkContext.ui) ui.synchronized {
      if (!ui.getTabs.exists(_.name == Name))
        attach(ui, session.asInstanceOf[classic.SparkSession].sharedState.statusStore)
    }

  private[ui] def attach(ui: SparkUI, queries: SQLAppStatusStore): Unit =
    ui.attachTab(new ScaleGateTab(ui, queries, new StreamingQueryStatusStore(ui.store.store)))
}
