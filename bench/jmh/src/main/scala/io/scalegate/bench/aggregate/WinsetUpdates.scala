package io.scalegate.bench.aggregate

import java.util.SplittableRandom
import java.util.concurrent.{Callable, ExecutorService, Executors, TimeUnit}

import org.openjdk.jmh.annotations._

/** What a winset is kept in (multiway aggregation, §5.2): two threads bring the tuples of
  * `inputs` inputs to one winset, then one reads the results. A table for each of the two
  * threads, as in the core's lanes (`ByProcessor`), or for each input (`ByInput`), merged at the
  * end; a shared `ConcurrentHashMap` whose states are taken out and put back (`Shared`); the same
  * with a lock for each state (`Locked`); and a shared table after Michael, of the right length,
  * with states as in `Shared`. The score is per tuple, all of it.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(value = 1, jvmArgsAppend = Array("-Xmx2g", "-XX:+UseParallelGC"))
class WinsetUpdates {
  @Param(Array("ByProcessor", "ByInput", "Shared", "Locked", "Michael"))
  var table: String = _

  @Param(Array("2", "20"))
  var inputs: Int = _

  /** Of 243, evenly; or of 40,000, the n-th with a share of about 1/n. */
  @Param(Array("meters", "songs"))
  var keys: String = _

  private[this] val drawn = new Array[AnyRef](WinsetUpdates.Tuples)
  private[this] var pool: ExecutorService = _

  @Setup
  def draw(): Unit = {
    val random = new SplittableRandom(1)
    val all = Array.tabulate(40000)(i => java.lang.Long.valueOf(7919L * i))
    drawn.indices.foreach { i =>
      val k =
        if (keys == "meters") random.nextInt(243)
        else (math.pow(all.length + 1.0, random.nextDouble()) - 1).toInt
      drawn(i) = all(k)
    }
    pool = Executors.newFixedThreadPool(WinsetUpdates.Threads)
  }

  @TearDown
  def end(): Unit = {
    pool.shutdownNow()
    ()
  }

  @Benchmark
  @OperationsPerInvocation(30000)
  def build(): Long = {
    val tested = WinsetUnderTest(table, inputs, if (keys == "meters") 243 else 8000)
    val parts = (0 until WinsetUpdates.Threads).map { thread =>
      val task: Callable[Unit] = () => update(tested, thread)
      pool.submit(task)
    }
    parts.foreach(_.get)
    tested.total
  }

  /** The tuple's input is its number's remainder; a thread brings those of every other input. */
  private[this] def update(tested: WinsetUnderTest, thread: Int): Unit = {
    var i = thread
    while (i < drawn.length) {
      tested.add(drawn(i), i % inputs)
      i += WinsetUpdates.Threads
    }
  }
}

object WinsetUpdates {
  private val Tuples = 30000
  private val Threads = 2
}
