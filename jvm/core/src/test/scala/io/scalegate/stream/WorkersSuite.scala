package io.scalegate.stream

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import scala.jdk.CollectionConverters._

import org.scalatest.concurrent.TimeLimitedTests
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import io.scalegate.BoundedWait.until
import io.scalegate.tags.Concurrency
import io.scalegate.{BoundedWait, TestThread}

/** How an operator's threads start, work, wait, fail, leave and end. */
@Concurrency
final class WorkersSuite extends AnyFunSuite with TimeLimitedTests {
  override val timeLimit: Span = Span(BoundedWait.Seconds, Seconds)

  private val idles = Seq[(String, () => IdleStrategy)](
    "spinning" -> (() => new IdleStrategy.Spin),
    "backing off" -> (() => new IdleStrategy.Backoff()),
    "parking for long" -> (() => new IdleStrategy.Backoff(0, 0, 1000000000L, 1000000000L))
  )

  private class Group(idle: () => IdleStrategy = () => new IdleStrategy.Backoff()) {
    val ending = new Lifecycle("operator")
    val workers = new Workers(ending, idle)
  }

  /** A work that says what was called. */
  private class Told(body: => Boolean, finished: => Boolean = false) extends Work("test-worker") {
    val calls = new ConcurrentLinkedQueue[String]
    val steps = new AtomicInteger

    def told: Seq[String] = calls.asScala.toSeq

    override def prepare(): Unit = tell("prepare")
    def isFinished: Boolean = finished
    override def finish(): Unit = tell("finish")
    override def end(): Unit = tell("end")

    def step(): Boolean = {
      steps.incrementAndGet()
      body
    }

    private def tell(call: String): Unit = {
      calls.add(call)
      ()
    }
  }

  private def idling(): Told = new Told(false)

  /** Fails where it is told to. */
  private class Failing(where: String, e: Throwable) extends Work("test-worker") {
    private def at(call: String): Unit = if (call == where) throw e

    override def prepare(): Unit = at("prepare")
    def isFinished: Boolean = where != "step"
    override def finish(): Unit = at("finish")
    override def end(): Unit = at("end")
    def step(): Boolean = {
      at("step")
      true
    }
  }

  private def alive: Seq[String] =
    Thread.getAllStackTraces.keySet.asScala.map(_.getName).filter(_ == "test-worker").toSeq

  test("a work is prepared, takes its steps until it is finished, finishes and ends") {
    val group = new Group
    lazy val work: Told = new Told(true, work.steps.get == 3)
    group.workers.start(Seq(work))
    until("end")(work.hasEnded)
    assert(work.told == Seq("prepare", "finish", "end") && work.steps.get == 3)
    assert(!group.ending.isStopped && !work.isLeaving)
    group.workers.stop()
  }

  for ((name, idle) <- idles) {
    test(s"stopped while it idles, $name, a work ends without its finish") {
      val group = new Group(idle)
      val all = Vector.fill(3)(idling())
      group.workers.start(all)
      until("steps")(all.forall(_.steps.get > 0))
      group.workers.stop()
      assert(alive.isEmpty && all.forall(w => w.hasEnded && w.told == Seq("prepare", "end")))
    }

    test(s"stopped while it waits, $name, a work ends, and that is no failure") {
      val group = new Group(idle)
      val waits = new CountDownLatch(1)
      lazy val room = group.workers.waiting()
      val work = new Told({
        room.until { waits.countDown(); false }
        true
      })
      group.workers.start(Seq(work))
      waits.await()
      group.workers.stop()
      assert(alive.isEmpty && work.told == Seq("prepare", "end") && work.steps.get == 1)
      val e = intercept[IllegalStateException](group.ending.throwIfStopped())
      assert(e.getMessage == "the operator is closed")
    }
  }

  test("a wait ends when what it waits for is there, and begins anew to idle") {
    val said = new ConcurrentLinkedQueue[String]
    val idle = new IdleStrategy {
      def idle(): Unit = { said.add("idle"); () }
      def reset(): Unit = { said.add("reset"); () }
    }
    val room = new Group(() => idle).workers.waiting()
    var left = 3
    room.until { left -= 1; left < 0 }
    assert(said.asScala.toSeq == Seq("idle", "idle", "idle", "reset"))
  }

  for (where <- Seq("prepare", "step", "finish", "end"))
    test(s"what a work throws in its $where ends the operator and all its threads") {
      val group = new Group
      val reason = new IllegalArgumentException(where)
      val others = Vector.fill(2)(idling())
      group.workers.start(others)
      group.workers.join(new Failing(where, reason))
      until("end of all threads")(alive.isEmpty)
      assert(others.forall(_.told == Seq("prepare", "end")))
      assert(intercept[IllegalArgumentException](group.ending.throwIfStopped()) eq reason)
      group.workers.stop()
      assert(intercept[IllegalArgumentException](group.ending.throwIfStopped()) eq reason)
    }

  test("the failure is there before the end that follows from it, and is the first of two") {
    val group = new Group
    val seen = new ConcurrentLinkedQueue[String]
    val work = new Told(throw new IllegalArgumentException("step")) {
      override def end(): Unit = {
        seen.add(intercept[IllegalArgumentException](group.ending.throwIfStopped()).getMessage)
        throw new IllegalArgumentException("end")
      }
    }
    group.workers.start(Seq(work))
    until("end")(work.hasEnded)
    assert(seen.asScala.toSeq == Seq("step"))
    val e = intercept[IllegalArgumentException](group.ending.throwIfStopped())
    assert(e.getMessage == "step")
    group.workers.stop()
  }

  test("user's code that waits is interrupted when the operator is stopped, and is no failure") {
    val group = new Group
    val waits = new CountDownLatch(1)
    val never = new CountDownLatch(1)
    val work = new Told({
      waits.countDown()
      never.await()
      true
    })
    group.workers.start(Seq(work))
    waits.await()
    group.workers.stop()
    assert(alive.isEmpty && work.told == Seq("prepare", "end"))
    assert(intercept[IllegalStateException](group.ending.throwIfStopped()) != null)
  }

  test("a work whose code swallows the interrupt ends all the same") {
    val group = new Group
    val waits = new CountDownLatch(2)
    val never = new CountDownLatch(1)
    lazy val room = group.workers.waiting()
    val deaf = new Told({
      waits.countDown()
      try never.await()
      catch { case _: InterruptedException => () }
      true
    })
    val waiting = new Told({
      waits.countDown()
      try never.await()
      catch { case _: InterruptedException => () }
      room.until(false)
      true
    })
    group.workers.start(Seq(deaf, waiting))
    waits.await()
    group.workers.stop()
    assert(alive.isEmpty && deaf.steps.get == 1 && waiting.steps.get == 1)
  }

  test("who is interrupted while it stops the operator waits to the end, and stays interrupted") {
    val group = new Group
    val waits = new CountDownLatch(1)
    val mayEnd = new CountDownLatch(1)
    val work = new Told({
      waits.countDown()
      while (mayEnd.getCount > 0) Thread.onSpinWait()
      true
    })
    group.workers.start(Seq(work))
    waits.await()
    @volatile var stopping: Thread = null
    @volatile var isInterrupted = false
    val stop = new TestThread({
      stopping = Thread.currentThread
      stopping.interrupt()
      group.workers.stop()
      isInterrupted = Thread.currentThread.isInterrupted && work.hasEnded
    })
    until("interrupt taken by the wait")(stopping != null && stop.isBlocked)
    mayEnd.countDown()
    assert(stop.end() == null && isInterrupted)
  }

  test("two that stop the operator both wait for its threads") {
    val group = new Group
    val waits = new CountDownLatch(1)
    val mayEnd = new CountDownLatch(1)
    val work = new Told({
      waits.countDown()
      while (mayEnd.getCount > 0) Thread.onSpinWait()
      true
    })
    group.workers.start(Seq(work))
    waits.await()
    val stops = Vector.fill(2)(new TestThread({
      group.workers.stop()
      assert(work.hasEnded)
    }))
    until("wait of both")(stops.forall(_.isBlocked))
    mayEnd.countDown()
    stops.foreach(stop => assert(stop.end() == null))
  }

  /** A group whose n-th thread cannot start, once those before it have begun. */
  private class Refusing(n: Int, begun: => Boolean) {
    val reason = new OutOfMemoryError("unable to create native thread")
    val ending = new Lifecycle("operator")
    private[this] var made = 0
    val workers = new Workers(
      ending,
      () => new IdleStrategy.Backoff(),
      (run, name) => {
        made += 1
        if (made != n) new Thread(run, name)
        else
          new Thread(run, name) {
            override def start(): Unit = {
              until("start of the others")(begun)
              throw reason
            }
          }
      }
    )
  }

  test("when a thread cannot start, those that did end, and the caller gets the reason") {
    val never = new CountDownLatch(1)
    val blocked = Vector.fill(2)(new Told({ never.await(); true }))
    val all = (blocked :+ idling()) :+ idling() :+ idling()
    val group = new Refusing(4, all.take(3).forall(_.steps.get > 0))
    assert(intercept[OutOfMemoryError](group.workers.start(all)) eq group.reason)
    assert(alive.isEmpty && all.take(3).forall(_.hasEnded))
    assert(all.drop(3).forall(_.told.isEmpty), "started after one could not")
    assert(intercept[OutOfMemoryError](group.ending.throwIfStopped()) eq group.reason)
  }

  test(
    "a failure that comes before all have started is the consumer's, as one that comes later"
  ) {
    val ending = new Lifecycle("operator")
    val broken = new IllegalStateException("broken")
    // Each thread has ended before the next starts.
    val inTurn = (run: Runnable, name: String) =>
      new Thread(run, name) {
        override def start(): Unit = {
          super.start()
          join()
        }
      }
    val workers = new Workers(ending, () => new IdleStrategy.Backoff(), inTurn)
    val second = idling()
    workers.start(Seq(new Failing("step", broken), second))
    assert(intercept[IllegalStateException](ending.throwIfStopped()) eq broken)
    assert(second.told.isEmpty)
    workers.stop()
  }

  test("when a thread that is to join cannot start, the others go on") {
    val first = idling()
    val group = new Refusing(2, first.steps.get > 0)
    group.workers.start(Seq(first))
    assert(intercept[OutOfMemoryError](group.workers.join(idling())) eq group.reason)
    val before = first.steps.get
    val third = idling()
    group.workers.join(third)
    until("steps")(first.steps.get > before && third.steps.get > 0)
    group.ending.throwIfStopped()
    group.workers.stop()
    assert(alive.isEmpty && first.hasEnded && third.hasEnded)
  }

  test("threads join and leave while the others work, and none is left behind") {
    val group = new Group
    val stays = idling()
    group.workers.start(Seq(stays))
    for (_ <- 0 until 100) {
      val joining = Vector.fill(2)(idling())
      joining.foreach(group.workers.join)
      until("steps")(joining.forall(_.steps.get > 0))
      joining.foreach(_.leave())
      until("end")(joining.forall(_.hasEnded))
      assert(joining.forall(w => w.isLeaving && w.told == Seq("prepare", "end")))
    }
    until("end of those that left")(alive.size == 1)
    assert(!stays.hasEnded && !group.ending.isStopped)
    group.workers.stop()
    assert(alive.isEmpty)
  }

  test("a work that leaves before its thread has begun takes no step") {
    val group = new Group
    val work = idling()
    work.leave()
    group.workers.join(work)
    until("end")(work.hasEnded)
    assert(work.told == Seq("prepare", "end") && work.steps.get == 0)
    group.workers.stop()
  }

  test("who joins when the operator was stopped is refused") {
    val group = new Group
    group.workers.stop()
    val late = idling()
    assert(intercept[IllegalStateException](group.workers.join(late)).getMessage ==
      "the operator is closed")
    assert(late.told.isEmpty)
  }

  test("whatever joins while the operator is stopped has ended, or was refused") {
    for (_ <- 0 until 200) {
      val group = new Group
      val joined = new ConcurrentLinkedQueue[Told]
      val joining = Vector.fill(2)(new TestThread(
        while (true) {
          val work = idling()
          group.workers.join(work)
          joined.add(work)
          work.leave()
        }
      ))
      until("one that joined")(!joined.isEmpty)
      group.workers.stop()
      joining.foreach(thread => assert(thread.end().isInstanceOf[IllegalStateException]))
      assert(joined.asScala.forall(_.hasEnded) && alive.isEmpty)
    }
  }

  test("a hundred operators started and stopped leave no thread") {
    for (i <- 0 until 100) {
      val group = new Group
      val all = Vector.fill(1 + i % 4)(idling())
      group.workers.start(all)
      if (i % 2 == 0) until("steps")(all.forall(_.steps.get > 0))
      group.workers.stop()
      group.workers.stop()
      assert(all.forall(_.hasEnded))
    }
    assert(alive.isEmpty)
  }
}
