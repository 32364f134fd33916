package org.apache.spark.sql.scalegate.ui

import org.apache.spark.SparkConf
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.sql.execution.ui.SQLAppStatusStore
import org.apache.spark.status.{AppHistoryServerPlugin, ElementTrackingStore}
import org.apache.spark.ui.SparkUI
import org.slf4j.LoggerFactory

import io.scalegate.spark.settings.SparkRelease

/** Gives applications that Spark's history server shows the [[ScaleGateTab]], if they ran any query. The server finds it
  * by `META-INF/services` where this jar is on its class path; what the tab shows comes from the event log as Spark's own
  * plugins read it, so an application needs nothing more than `spark.eventLog.enabled`. In the server of another Spark
  * than this jar is built for it adds nothing.
  */
final class ScaleGateHistory extends AppHistoryServerPlugin {
  private[this] val log = LoggerFactory.getLogger(classOf[ScaleGateHistory])

  override def createListeners(conf: SparkConf, store: ElementTrackingStore): Seq[SparkListener] =
    Nil

  override def setupUI(ui: SparkUI): Unit =
    SparkRelease.obstacle match {
      case Some(why) => log.warn(s"The history server has no tab of scalegate: $why")
      case None =>
        val queries = new SQLAppStatusStore(ui.store.store)
        if (queries.executionsCount() > 0) ScaleGateTab.attach(ui, queries)
    }

  /** After the tabs of Spark's own plugins. */
  override def displayOrder: Int = Int.MaxValue
}
