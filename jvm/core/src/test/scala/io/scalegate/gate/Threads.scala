package io.scalegate.gate

import java.util.concurrent.{Callable, CyclicBarrier, ExecutionException, Executors, TimeUnit}

import scala.jdk.CollectionConverters._

import io.scalegate.BoundedWait
import io.scalegate.stream.IdleStrategy

/** Runs the parts of a concurrent test on threads of their own, started together. */
object Threads {
  private val LimitSeconds = BoundedWait.Seconds

  /** Each body's result, in order; the first exception if one throws. No thread outlives the
    * call.
    */
  def run[R](bodies: Seq[() => R]): Vector[R] = {
    val pool = Executors.newFixedThreadPool(bodies.size)
    val start = new CyclicBarrier(bodies.size)
    try {
      val tasks = bodies.map { body =>
        val task: Callable[R] = () => {
          start.await()
          body()
        }
        task
      }
      val results = pool.invokeAll(tasks.asJava, LimitSeconds, TimeUnit.SECONDS).asScala
      results.map(_.get).toVector
    } catch {
      case e: ExecutionException => throw e.getCause
    } finally {
      pool.shutdownNow()
      assert(pool.awaitTermination(LimitSeconds, TimeUnit.SECONDS), "a thread hangs")
    }
  }

  /** Waits without end in sight: an interrupt, which comes with the time limit, ends it. */
  final class Patience extends IdleStrategy {
    private[this] val backoff = new IdleStrategy.Backoff(spins = 50, yields = 50)

    def idle(): Unit = {
      if (Thread.interrupted()) throw new InterruptedException("the test waited too long")
      backoff.idle()
    }

    def reset(): Unit = backoff.reset()

    def until(condition: => Boolean): Unit = {
      while (!condition) idle()
      reset()
    }
  }
}
