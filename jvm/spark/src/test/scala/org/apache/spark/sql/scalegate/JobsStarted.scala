package org.apache.spark.sql.scalegate

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}

/** Counts the jobs that are started meanwhile. */
object JobsStarted {
  def by(context: SparkContext)(action: => Unit): Int = {
    val jobs = new AtomicInteger
    val listener = new SparkListener {
      override def onJobStart(start: SparkListenerJobStart): Unit = {
        jobs.incrementAndGet()
        ()
      }
    }
    context.listenerBus.waitUntilEmpty()
    context.addSparkListener(listener)
    try {
      action
      context.listenerBus.waitUntilEmpty()
      jobs.get
    } finally context.removeSparkListener(listener)
  }
}
