package io.scalegate.spark.plan

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CompletableFuture, ExecutionException, ExecutorService, Executors}

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan}

/** The rows of several plans, as Spark's `UNION ALL` has them, and their columns are the first's. What comes before the
  * first task, the code of a plan's stage and what its files are read with, is made for several of them at once: it
  * takes the driver 5 to 10 ms for each, and nothing else runs meanwhile.
  *
  * Input contract: all children have columns of the same types, in the same order; where one's can be NULL, the first's
  * can.
  *
  * The thread that executes the plan makes the children's RDDs, and daemon threads of one pool help it: all of them
  * together are as many as this JVM has processors at most. It returns when all are made.
  */
final case class ParallelUnionExec(children: Seq[SparkPlan]) extends SparkPlan {
  override def nodeName: String = "Union"
  override def output: Seq[Attribute] = children.head.output

  override protected def doExecute(): RDD[InternalRow] =
    sparkContext.union(ParallelUnionExec.execute(session, children))

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[SparkPlan]
  ): ParallelUnionExec = copy(children = newChildren)
}

object ParallelUnionExec {

  /** The rows of each plan. */
  def execute(session: SparkSession, plans: Seq[SparkPlan]): Seq[RDD[InternalRow]] = {
    val made = new Array[RDD[InternalRow]](plans.size)
    val next = new AtomicInteger
    def makeRest(): Unit = {
      var i = next.getAndIncrement()
      while (i < made.length) {
        made(i) = plans(i).execute()
        i = next.getAndIncrement()
      }
    }
    val helpers = Seq.fill(math.min(made.length, threads) - 1) {
      SQLExecution.withThreadLocalCaptured(session, pool)(makeRest())
    }
    try makeRest()
    finally helpers.foreach(await)
    made.toSeq
  }

  private def threads: Int = Runtime.getRuntime.availableProcessors

  /** Unbounded, since a plan may have another union in it and wait for that. */
  private val pool: ExecutorService = Executors.newCachedThreadPool { (task: Runnable) =>
    val thread = new Thread(task, "scalegate-union")
    thread.setDaemon(true)
    thread
  }

  private def await(helper: CompletableFuture[Unit]): Unit =
    try helper.get()
    catch { case e: ExecutionException => throw e.getCause }
}
