package io.scalegate.spark.plan

import org.apache.spark.SparkContext

/** What one task may use when it is the only one of its stage. */
object SingleTask {

  /** The cores of an executor, or of this JVM where it is the executor. */
  def cores: Int = {
    val context = SparkContext.getOrCreate()
    if (context.isLocal) context.defaultParallelism
    else context.getConf.getInt("spark.executor.cores", 1)
  }
}
