package org.apache.spark.sql.scalegate

import org.apache.spark.SparkEnv

/** What Spark counts of an executor's memory. */
object MemoryAccess {
  def storageUsed: Long = SparkEnv.get.memoryManager.storageMemoryUsed

  def mostStorage: Long = SparkEnv.get.memoryManager.maxOnHeapStorageMemory
}
