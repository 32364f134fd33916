package org.apache.spark.sql.scalegate

import java.util.concurrent.TimeoutException

import scala.reflect.ClassTag

import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.rdd.{DeterministicLevel, RDD}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.{SparkContext, TaskContext}

/** What the package needs of Spark that Spark keeps to itself. */
object TaskAccess {
  def memoryManager(task: TaskContext): TaskMemoryManager = task.taskMemoryManager()

  /** The key with one NaN and one zero, as Spark hashes it. */
  def normalized(key: Expression): Expression = NormalizeFloatingNumbers.normalize(key)

  /** Whether a partition that is computed again has the same rows in the same order, as far as Spark knows. */
  def comesInOneOrder(rows: RDD[_]): Boolean =
    rows.outputDeterministicLevel == DeterministicLevel.DETERMINATE

  /** The rows changed by a function whose results depend on their order, or that may be others when they are read again:
    * where a partition may come in another order Spark then computes all of them again, and what was made of them.
    */
  def mapInOrder[A, B: ClassTag](rows: RDD[A])(f: Iterator[A] => Iterator[B]): RDD[B] =
    rows.mapPartitionsWithIndexInternal((_, of) => f(of), isOrderSensitive = true)

  /** Makes the calling thread one of the task's, as far as what it reads asks for the task. */
  def enter(task: TaskContext): Unit = TaskContext.setTaskContext(task)

  /** Waits until all listeners were told of what has happened so far; no longer than some seconds. */
  def waitForListeners(context: SparkContext): Unit =
    try context.listenerBus.waitUntilEmpty(10000)
    catch { case _: TimeoutException => }

  def leave(): Unit = TaskContext.unset()

  /** Throws if the task was killed, for loops that wait. */
  def stopIfKilled(task: TaskContext): Unit = task.killTaskIfInterrupted()
}
