package io.scalegate.join
import java.lang.ref.WeakReference

import io.scalegate.BoundedWait.until
import io.scalegate.gate.OutOfOrderException
import io.scalegate.join.ordered.{NestedLoopJoin, ScaleJoin}
import io.scalegate.stream.{IdleStrategy, Lifecycle, Side, StreamTuple, TimeWindow}

/** [[TypedJoin]] over the strategies of one thread and of one gate. */
final class TypedJoinSuite extends TypedJoinContract(Seq(NestedLoopJoin, new ScaleJoin(2))) {
  import JoinRuns.tuple
  import Side.{R, S}
  import TypedDefinition.{Row, row}

  test("a tuple that matches nothing comes out as soon as its window has passed") {
    val join = new TypedJoin(NestedLoopJoin)
      .open(JoinSpec(TimeWindow(-2, 5), joinType = JoinType.FullOuter), Vector(R, S))
    try {
      assert(join.sources(0).tryAdd(tuple(10, 0, 0, R)))
      assert(join.sources(1).tryAdd(tuple(1, 1, 0, S)))
      join.sources(0).advance(15)
      join.sources(1).advance(15)
      assert(row(join.poll()) == ((3L, None, Some((1, 0L)))))
      assert(join.poll() == null, "at 15 the first tuple of R may still match")
      join.sources(1).advance(16)
      assert(join.sources(0).tryAdd(tuple(16, 0, 1, R)))
      assert(row(join.poll()) == ((15L, Some((0, 0L)), None)))
      assert(!join.isDone)
    } finally join.close()
  }

  test("a tuple that was refused, and never offered again, is no result") {
    val join = new TypedJoin(NestedLoopJoin).open(
      JoinSpec(TimeWindow(0, 0), joinType = JoinType.LeftOuter),
      Vector(R, S),
      JoinOptions(inputCapacity = 1)
    )
    try {
      assert(join.sources(0).tryAdd(tuple(1, 0, 0, R)))
      assert(!join.sources(0).tryAdd(tuple(2, 0, 1, R)))
      join.sources.foreach(_.close())
      val rows = Vector.newBuilder[Row]
      until("end") { while (drain(join, rows)) (); join.isDone }
      assert(rows.result() == Vector((1L, Some((0, 0L)), None)))
    } finally join.close()
  }

  test("a refused tuple is forgotten, though the join goes on") {
    for (joinType <- Seq(JoinType.Inner, JoinType.LeftOuter)) {
      val join = new TypedJoin(NestedLoopJoin).open(
        JoinSpec(TimeWindow(0, 5), joinType = joinType),
        Vector(R, S),
        JoinOptions(inputCapacity = 1)
      )
      try {
        assert(join.sources(0).tryAdd(tuple(1, 0, 0, R)))
        val refused = Vector.tabulate(100) { i =>
          val t = tuple(2L + i, 0, 1L + i, R)
          assert(!join.sources(0).tryAdd(t))
          new WeakReference(t)
        }
        until("end of the refused tuples") {
          System.gc()
          refused.forall(_.get == null)
        }
        assert(join.poll() == null)
      } finally join.close()
    }
  }

  test("a tuple that is refused while the consumer polls is no result") {
    // The join is polled whenever its strategy is offered a tuple: between any two steps.
    var running: RunningTypedJoin = null
    val rows = Vector.newBuilder[Row]
    val polled =
      new PolledStrategy(NestedLoopJoin, () => if (running != null) drain(running, rows))
    running = new TypedJoin(polled)
      .open(JoinSpec(TimeWindow(0, 5), joinType = JoinType.LeftOuter), Vector(R, S))
    try {
      running.sources(0).advance(999)
      assert(running.sources(1).tryAdd(tuple(900, 1, 0, S)))
      running.sources(1).advance(999)
      for (n <- 0 until 3)
        intercept[OutOfOrderException](running.sources(0).tryAdd(tuple(500, 0, n.toLong, R)))
      running.sources.foreach(_.close())
      until("end") { while (drain(running, rows)) (); running.isDone }
      assert(rows.result() == Vector.empty)
    } finally running.close()
  }

  test("a failure reaches the consumer unchanged") {
    val broken = new IllegalStateException("the predicate is broken")
    val spec =
      JoinSpec(
        TimeWindow(-9, 9),
        residual = Some(() => (_: StreamTuple, _: StreamTuple) => throw broken)
      )
    val join = new TypedJoin(new ScaleJoin(2)).open(spec, Vector(R, S))
    try {
      assert(join.sources(0).tryAdd(tuple(1, 0, 0, R)))
      assert(join.sources(1).tryAdd(tuple(2, 1, 0, S)))
      join.sources.foreach(_.close())
      var caught: Throwable = null
      until("failure") {
        try join.poll()
        catch { case e: IllegalStateException => caught = e }
        caught != null
      }
      assert(caught eq broken)
      assert(!join.isDone)
    } finally join.close()
  }
}

/** A strategy that calls back whenever one of its sources is offered a tuple, before it is taken. */
final private class PolledStrategy(strategy: JoinStrategy, offered: () => Any)
    extends JoinStrategy {
  def name: String = strategy.name

  def open(spec: JoinSpec, sides: IndexedSeq[Side], options: JoinOptions): RunningJoin = {
    val join = strategy.open(spec, sides, options)
    new RunningJoin {
      val sources: IndexedSeq[JoinSource] = join.sources.map(new Polled(_))
      def poll(): JoinResult = join.poll()
      def frontier: Long = join.frontier
      def isDone: Boolean = join.isDone
      def metrics: JoinMetrics = join.metrics
      def close(): Unit = join.close()
      private[scalegate] def ending: Lifecycle = join.ending
    }
  }

  final private[this] class Polled(source: JoinSource) extends JoinSource {
    def side: Side = source.side
    def id: Int = source.id
    def canAdd(t: StreamTuple): Boolean = {
      offered()
      source.canAdd(t)
    }
    def tryAdd(t: StreamTuple): Boolean = {
      offered()
      source.tryAdd(t)
    }
    def add(t: StreamTuple, idle: IdleStrategy): Unit = {
      offered()
      source.add(t, idle)
    }
    def advance(ts: Long): Unit = source.advance(ts)
    def close(): Unit = source.close()
  }
}
