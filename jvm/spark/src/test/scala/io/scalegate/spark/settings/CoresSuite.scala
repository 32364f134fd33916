package io.scalegate.spark.settings

import org.apache.spark.SparkConf
import org.scalatest.funsuite.AnyFunSuite

final class CoresSuite extends AnyFunSuite {
  private def conf(settings: (String, Any)*): SparkConf =
    settings.foldLeft(new SparkConf(false)) { case (c, (k, v)) => c.set(k, v.toString) }

  test("executors that may still be asked for count, up to the most that may be") {
    val some = conf("spark.dynamicAllocation.maxExecutors" -> 30, "spark.executor.cores" -> 4)
    assert(Cores.most(some) == 120)
    assert(Cores.most(conf("spark.dynamicAllocation.maxExecutors" -> Int.MaxValue)) == 65536)
    assert(Cores.most(conf("spark.executor.cores" -> 1000000)) == 65536)
  }

  test("a task takes the cores that it is given") {
    assert(Cores.tasksOn(120, conf("spark.task.cpus" -> 8)) == 15)
    assert(Cores.tasksOn(2, conf("spark.task.cpus" -> 8)) == 1)
    assert(Cores.tasksOn(7, conf()) == 7)
  }
}
