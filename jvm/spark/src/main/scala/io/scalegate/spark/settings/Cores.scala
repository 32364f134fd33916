package io.scalegate.spark.settings

import org.apache.spark.{SparkConf, SparkContext}

/** What a stage's tasks may use of the cores that there are. Driver only. */
object Cores {

  /** Of a task that is the only one of its stage: those of an executor, or of this JVM where it is the executor. */
  def ofOneTask: Int = {
    val context = SparkContext.getOrCreate()
    if (context.isLocal) context.defaultParallelism
    else context.getConf.getInt("spark.executor.cores", 1)
  }

  /** How many tasks run at once, or may: with dynamic allocation there are few executors when a query is planned, and
    * more when it runs.
    */
  def tasksAtOnce: Int = {
    val context = SparkContext.getOrCreate()
    tasksAtOnce(context.isLocal, context.defaultParallelism, context.getConf)
  }

  private[scalegate] def tasksAtOnce(isLocal: Boolean, present: Int, conf: SparkConf): Int = {
    val grows = !isLocal && conf.getBoolean("spark.dynamicAllocation.enabled", false)
    tasksOn(if (grows) math.max(present, most(conf)) else present, conf)
  }

  /** The cores of as many executors as may be asked for. */
  private[scalegate] def most(conf: SparkConf): Int = {
    val executors = conf.getInt("spark.dynamicAllocation.maxExecutors", MostCores)
    math.min(executors.toLong * conf.getInt("spark.executor.cores", 1), MostCores.toLong).toInt
  }

  private[scalegate] def tasksOn(cores: Int, conf: SparkConf): Int =
    math.max(1, cores / conf.getInt("spark.task.cpus", 1))

  /** More than any cluster has. */
  private[this] val MostCores = 1 << 16
}
