package org.apache.spark.sql.scalegate.stream

import scala.collection.mutable
import scala.concurrent.duration.{DurationInt, FiniteDuration}
import scala.jdk.CollectionConverters._

import org.apache.spark.rdd.RDD
import org.apache.spark.resource.ResourceProfile
import org.apache.spark.scheduler.{Schedulable, TaskSetManager}
import org.apache.spark.{ShuffleDependency, SparkContext}

/** The slots that a batch in Real-Time Mode needs, all at once. Spark counts the free ones when the batch's job is
  * submitted, and ends the query where they are too few. That happens to a query that has all that it needs: tasks of the
  * batch before still count as running for some milliseconds after their job has ended, more on a cluster, whose
  * executors tell of it by messages; and executors that are about to come, or to come back, do not count yet.
  *
  * On the driver, in the thread of the query, which is interrupted when the query is stopped.
  */
private[stream] object TaskSlots {

  /** How long a batch waits at most, before it leaves it to Spark to refuse it. */
  val Most: FiniteDuration = 10.seconds
  private[this] val PauseMillis = 5L

  /** Waits until as many slots are free as a job needs, which ends with these rows; no longer than [[Most]], and not at all
    * where there never will be as many.
    */
  def await(rows: RDD[_]): Unit = {
    val (context, needed) = (rows.sparkContext, demand(rows))
    val end = System.nanoTime + Most.toNanos
    while (free(context) < needed && mayGrow(context, needed) && System.nanoTime - end < 0)
      Thread.sleep(PauseMillis)
  }

  /** The tasks of a job that ends with these rows: those of its last stage, and those that write each shuffle. */
  def demand(rows: RDD[_]): Int = {
    val seen = mutable.HashSet.empty[Int]
    val writers = mutable.HashMap.empty[Int, Int]
    def visit(rdd: RDD[_]): Unit = if (seen.add(rdd.id)) rdd.dependencies.foreach { dependency =>
      dependency match {
        case shuffle: ShuffleDependency[_, _, _] =>
          writers(shuffle.shuffleId) = shuffle.rdd.getNumPartitions
        case _ =>
      }
      visit(dependency.rdd)
    }
    visit(rows)
    rows.getNumPartitions + writers.values.sum
  }

  /** As Spark counts them: a task whose result the driver has yet to read holds its slot. The scheduler changes what is
    * read here while it holds its own lock.
    */
  private[this] def free(context: SparkContext) = {
    val scheduler = context.taskScheduler
    slots(context) - scheduler.synchronized(held(scheduler.rootPool))
  }

  private[this] def held(running: Schedulable): Int = running match {
    case tasks: TaskSetManager => tasks.successful.count(!_)
    case pool => pool.schedulableQueue.asScala.iterator.map(held).sum
  }

  /** Executors come and go, but for those that are this process. */
  private[this] def mayGrow(context: SparkContext, needed: Int) =
    !context.isLocal || slots(context) >= needed

  private[this] def slots(context: SparkContext) = {
    val default = ResourceProfile.DEFAULT_RESOURCE_PROFILE_ID
    context.maxNumConcurrentTasks(context.resourceProfileManager.resourceProfileFromId(default))
  }
}
