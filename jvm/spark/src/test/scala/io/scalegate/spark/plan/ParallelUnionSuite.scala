package io.scalegate.spark.plan

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}
import org.apache.spark.sql.types.LongType

import io.scalegate.spark.SparkJoinSuite

/** A plan whose making is watched: `before` runs when it is made. */
final case class WatchedExec(number: Long, before: () => Unit) extends LeafExecNode {
  override val output: Seq[Attribute] = Seq(AttributeReference("n", LongType, nullable = false)())

  override protected def doExecute(): RDD[InternalRow] = {
    before()
    sparkContext.parallelize(Seq(number, number), 2).map(InternalRow(_))
  }
}

final class ParallelUnionSuite extends SparkJoinSuite {
  private def numbers(plan: SparkPlan): Seq[Long] =
    plan.execute().map(_.getLong(0)).collect().toSeq

  private def union(parts: SparkPlan*): SparkPlan = {
    spark.sparkContext
    ParallelUnionExec(parts)
  }

  private def part(number: Int)(before: => Unit): SparkPlan = {
    spark.sparkContext
    WatchedExec(number.toLong, () => before)
  }

  private def twice(numbers: Range): Seq[Long] = numbers.flatMap(n => Seq(n.toLong, n.toLong))

  test("the rows of all parts, in the order of the parts") {
    assert(numbers(union((1 to 20).map(i => part(i)(())): _*)) == twice(1 to 20))
    assert(numbers(union(part(1)(()))) == twice(1 to 1))
  }

  test("parts are made at once, each with the session and the properties of the query") {
    assume(Runtime.getRuntime.availableProcessors > 1)
    val begun = new CountDownLatch(2)
    spark.sparkContext.setLocalProperty("of the query", "yes")
    def watched(i: Int) = part(i) {
      begun.countDown()
      assert(begun.await(1, TimeUnit.MINUTES))
      assert(spark.sparkContext.getLocalProperty("of the query") == "yes")
    }
    assert(numbers(union(watched(1), watched(2))) == twice(1 to 2))
  }

  test("unions in unions, more of them than there are threads") {
    def deep(depth: Int, number: Int): SparkPlan =
      if (depth == 0) part(number)(())
      else union(deep(depth - 1, 2 * number), deep(depth - 1, 2 * number + 1))
    assert(numbers(deep(6, 1)) == twice(64 to 127))
  }

  (0 to 3).foreach { failing =>
    test(s"an error in the making of part $failing reaches the caller as it is") {
      val parts =
        (0 to 3).map(i => part(i)(if (i == failing) throw new ArithmeticException("no")))
      val thrown = intercept[ArithmeticException](numbers(union(parts: _*)))
      assert(thrown.getMessage == "no")
    }
  }
}
