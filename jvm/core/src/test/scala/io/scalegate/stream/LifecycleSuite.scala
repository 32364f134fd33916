package io.scalegate.stream

import java.util.concurrent.CountDownLatch

import org.scalatest.funsuite.AnyFunSuite

/** How an operator's threads start and end. */
final class LifecycleSuite extends AnyFunSuite {
  test("when a thread cannot start, those that did end, and the caller gets the reason") {
    val lifecycle = new Lifecycle("operator")
    val never = new CountDownLatch(1)
    val began = new CountDownLatch(2)
    val blocked = Vector.fill(2)(new Thread(() => {
      began.countDown()
      try never.await()
      catch { case _: InterruptedException => () }
    }))
    val spinning = new Thread(() => while (!lifecycle.isStopped) Thread.`yield`())
    val reason = new OutOfMemoryError("unable to create native thread")
    val refused = new Thread(() => ()) {
      override def start(): Unit = {
        began.await()
        throw reason
      }
    }
    val threads = (blocked :+ spinning) :+ refused :+ new Thread(() => fail("started"))
    assert(intercept[OutOfMemoryError](lifecycle.start(threads)) eq reason)
    assert(!threads.exists(_.isAlive))
    assert(intercept[OutOfMemoryError](lifecycle.throwIfStopped()) eq reason)
  }
}
