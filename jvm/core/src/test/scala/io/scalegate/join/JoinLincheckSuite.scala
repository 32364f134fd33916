package io.scalegate.join

import org.jetbrains.kotlinx.lincheck.annotations.{Operation, Validate}

import io.scalegate.gate.OutOfOrderException
import io.scalegate.join.ordered.{MergedResults, NestedLoopJoin, ResultOrder}
import io.scalegate.stream.{IdleStrategy, Lifecycle, Side, StreamTuple, TimeWindow, Waiting}
import io.scalegate.{LincheckSuite, Sample}

/** What threads share in a join, over generated scenarios: the tuples that a typed join decides
  * about, the results of several workers, and the end by another thread. An operation's result is
  * that of the same operations in turn; what came out in all is compared when a scenario is over.
  */
class JoinLincheckSuite extends LincheckSuite {
  // Minutes on a busy machine, most of them to transform the classes of a whole join.
  private val isSoak = Sample.isSoak

  for (
    (name, model) <- Seq[(String, Class[_])](
      "a typed join gives what was taken and nothing that was refused" -> classOf[TypedJoinModel],
      "merged results come in order, and none below the frontier" -> classOf[MergedResultsModel],
      "a join that is closed says so from then on" -> classOf[ClosedJoinModel]
    )
  ) {
    test(s"$name, under stress") {
      stress(model, model, scenarios = 4, runs = 400)
    }

    if (isSoak) test(s"$name, in every interleaving tried, and no thread waits for another") {
      explore(model, model, scenarios = 2, runs = 50, isLockFree = true)
    }
  }
}

/** A full join of two sources that are often full, and that offer tuples which are out of order. */
class TypedJoinModel {
  private val spec = JoinSpec(TimeWindow(-1, 2), joinType = JoinType.FullOuter)
  private val join = new TypedJoin(NestedLoopJoin)
    .open(spec, Vector(Side.R, Side.S), JoinOptions(inputCapacity = 2))
  private val time = Array(0L, 0L)
  private val taken = Array.fill(2)(Vector.empty[StreamTuple])
  private val isOpen = Array(true, true)
  private val rows = Vector.newBuilder[TypedDefinition.Row]
  private var reached = Long.MinValue

  // Source 0 delivers at 1, 2, 3, …; source 1 at 2, 4, 6, ….
  private def deliver(i: Int): Unit = if (isOpen(i)) {
    time(i) += 1L + i
    val t = JoinRuns.tuple(time(i), i, time(i), if (i == 0) Side.R else Side.S)
    if (join.sources(i).tryAdd(t)) taken(i) :+= t
  }

  private def offerLate(i: Int): String =
    if (!isOpen(i)) "closed"
    else
      try {
        join.sources(i).advance(time(i))
        join.sources(i).tryAdd(
          JoinRuns.tuple(time(i) - 1, i, -1L, if (i == 0) Side.R else Side.S)
        )
        "taken"
      } catch { case _: OutOfOrderException => "refused" }

  private def skip(i: Int): Unit = if (isOpen(i)) {
    time(i) += 1L + i
    join.sources(i).advance(time(i))
  }

  private def shut(i: Int): Unit = {
    isOpen(i) = false
    join.sources(i).close()
  }

  private def take(): Boolean = {
    val frontier = join.frontier
    require(frontier >= reached, s"the frontier fell from $reached to $frontier")
    reached = frontier
    val result = join.poll()
    require(result == null || result.ts >= reached, s"$result comes below $reached")
    if (result != null) rows += TypedDefinition.row(result)
    result != null
  }

  @Operation(nonParallelGroup = "source0") def deliver0(): Unit = deliver(0)
  @Operation(nonParallelGroup = "source0") def late0(): String = offerLate(0)
  @Operation(nonParallelGroup = "source0") def advance0(): Unit = skip(0)
  @Operation(nonParallelGroup = "source0", runOnce = true) def close0(): Unit = shut(0)
  @Operation(nonParallelGroup = "source1") def deliver1(): Unit = deliver(1)
  @Operation(nonParallelGroup = "source1") def late1(): String = offerLate(1)
  @Operation(nonParallelGroup = "source1") def advance1(): Unit = skip(1)
  @Operation(nonParallelGroup = "source1", runOnce = true) def close1(): Unit = shut(1)
  @Operation(nonParallelGroup = "consumer") def poll(): Unit = {
    take()
    ()
  }

  @Validate def complete(): Unit = {
    Seq(0, 1).foreach(shut)
    while (take() || !join.isDone) ()
    val input = JoinCase(spec, Vector(Side.R -> taken(0), Side.S -> taken(1)))
    val (given, defined) = (rows.result(), TypedDefinition.results(input, spec.joinType))
    require(given == defined, s"$given came of ${taken.toSeq}, not $defined")
  }
}

/** Two workers, each with a result for every second tuple of its own. */
class MergedResultsModel {
  private val merged = new MergedResults(ResultOrder, 100, ResultOrder.punctuation, 2)
  private val room = new Waiting(new Lifecycle("join"), new IdleStrategy.Spin)
  private val time = Array(0L, 0L)
  private val emitted = Array.fill(2)(Vector.empty[JoinResult])
  private val isOpen = Array(true, true)
  private var taken = Vector.empty[JoinResult]
  private var reached = Long.MinValue

  private def next(i: Int): StreamTuple = {
    time(i) += 1L + i
    JoinRuns.tuple(time(i), 0, 0, Side.R)
  }

  private def give(i: Int): Unit = if (isOpen(i)) {
    val later = next(i)
    val result = new JoinResult(later, JoinRuns.tuple(later.ts - 1, 1, i.toLong, Side.S))
    emitted(i) :+= result
    merged.outlet(i).emit(result, room)
  }

  private def pass(i: Int): Unit = if (isOpen(i)) merged.outlet(i).promise(next(i))

  private def quiet(i: Int): Unit =
    if (isOpen(i)) merged.outlet(i).promise(StreamTuple.heartbeat(time(i) + 1))

  private def shut(i: Int): Unit = {
    isOpen(i) = false
    merged.outlet(i).close()
  }

  private def takeOne(): Boolean = {
    val frontier = merged.frontier
    require(frontier >= reached, s"the frontier fell from $reached to $frontier")
    reached = frontier
    val result = merged.poll()
    require(result == null || result.ts >= reached, s"$result comes below $reached")
    if (result != null) taken :+= result
    result != null
  }

  @Operation(nonParallelGroup = "worker0") def emit0(): Unit = give(0)
  @Operation(nonParallelGroup = "worker0") def pass0(): Unit = pass(0)
  @Operation(nonParallelGroup = "worker0") def heartbeat0(): Unit = quiet(0)
  @Operation(nonParallelGroup = "worker0", runOnce = true) def close0(): Unit = shut(0)
  @Operation(nonParallelGroup = "worker1") def emit1(): Unit = give(1)
  @Operation(nonParallelGroup = "worker1") def pass1(): Unit = pass(1)
  @Operation(nonParallelGroup = "worker1") def heartbeat1(): Unit = quiet(1)
  @Operation(nonParallelGroup = "worker1", runOnce = true) def close1(): Unit = shut(1)
  @Operation(nonParallelGroup = "consumer") def take(): Unit = {
    takeOne()
    ()
  }

  @Validate def complete(): Unit = {
    Seq(0, 1).foreach(shut)
    while (takeOne()) ()
    val all = (emitted(0) ++ emitted(1)).sortWith(ResultOrder.compare(_, _) < 0)
    require(merged.isDone && merged.frontier == Long.MaxValue)
    require(taken == all, s"$taken came, not $all")
  }
}

/** Any thread closes; a source and the consumer ask. */
class ClosedJoinModel {
  private val spec = JoinSpec(TimeWindow(-5, 5), joinType = JoinType.FullOuter)
  private val join = new TypedJoin(NestedLoopJoin).open(spec, Vector(Side.R, Side.S))
  private var time = 0L

  private def told(body: => Any): String =
    try {
      body
      "open"
    } catch { case e: IllegalStateException => e.getMessage }

  @Operation def close(): Unit = join.close()

  @Operation(nonParallelGroup = "source") def deliver(): String = told {
    time += 1
    join.sources(0).tryAdd(JoinRuns.tuple(time, 0, time, Side.R))
    join.sources(1).advance(time)
  }

  @Operation(nonParallelGroup = "consumer") def poll(): String = told(join.poll())
  @Operation(nonParallelGroup = "consumer") def frontier(): String = told(join.frontier)
  @Operation(nonParallelGroup = "consumer") def isDone(): Boolean = join.isDone
}
