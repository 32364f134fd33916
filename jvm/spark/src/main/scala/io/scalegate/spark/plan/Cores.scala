package io.scalegate.spark.plan

import org.apache.spark.SparkContext

/** What a stage's tasks may use of the cores that there are. */
object Cores {

  /** Of a task that is the only one of its stage: those of an executor, or of this JVM where it is the executor. */
  def ofOneTask: Int = {
    val context = SparkContext.getOrCreate()
    if (context.isLocal) context.defaultParallelism
    else context.getConf.getInt("spark.executor.cores", 1)
  }

  /** How many tasks run at once. */
  def tasksAtOnce: Int = {
    val context = SparkContext.getOrCreate()
    math.max(1, context.defaultParallelism / context.getConf.getInt("spark.task.cpus", 1))
  }
}
