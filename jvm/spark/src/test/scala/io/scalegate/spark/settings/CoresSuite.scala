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

  test("a cluster that grows is planned for what it may have, and no other") {
    val most = Seq("spark.dynamicAllocation.maxExecutors" -> 30, "spark.executor.cores" -> 4)
    val growing = conf(most :+ ("spark.dynamicAllocation.enabled" -> true): _*)
    assert(Cores.tasksAtOnce(isLocal = false, 2, growing) == 120)
    assert(Cores.tasksAtOnce(isLocal = false, 200, growing) == 200)
    assert(Cores.tasksAtOnce(isLocal = true, 2, growing) == 2)
    assert(Cores.tasksAtOnce(isLocal = false, 2, conf(most: _*)) == 2)
    growing.set("spark.task.cpus", "8")
    assert(Cores.tasksAtOnce(isLocal = false, 2, growing) == 15)
  }

  test("a task takes the cores that it is given") {
    assert(Cores.tasksOn(120, conf("spark.task.cpus" -> 8)) == 15)
    assert(Cores.tasksOn(2, conf("spark.task.cpus" -> 8)) == 1)
    assert(Cores.tasksOn(7, conf()) == 7)
  }
}
