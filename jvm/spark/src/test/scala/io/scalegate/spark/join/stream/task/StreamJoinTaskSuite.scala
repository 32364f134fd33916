package io.scalegate.spark.join.stream.task

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Add,
  AttributeReference,
  BitwiseAnd,
  Expression,
  If,
  IsNull,
  JoinedRow,
  LessThan,
  Literal,
  UnixMicros,
  UnsafeProjection
}
import org.apache.spark.sql.scalegate.EmptyTask
import org.apache.spark.sql.types.{IntegerType, LongType, TimestampType}
import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample
import io.scalegate.band.{AttributeType, Band, IntegralBand}
import io.scalegate.lookup.{Direction, NearestIndex}
import io.scalegate.spark.InterpretedExpressions
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.operator.ByOperator
import io.scalegate.spark.join.stream.perkey.{AnswerReach, LastRowsPerKey, NearestPerKey, PerKey}
import io.scalegate.spark.join.stream.state.{
  BatchJournal,
  Chunk,
  ChunkKey,
  ChunkStore,
  EventTimeWindow,
  HeldState,
  IntervalWindow,
  RowCountWindow,
  StreamWindow
}
import io.scalegate.spark.rows.RowStore
import io.scalegate.spark.settings.{Algorithm, NamedOperator}
import io.scalegate.stream.{Side, Sides}
import io.scalegate.tags.Streaming

/** One partition of a streaming join, fed batch by batch, against all pairs of its rows. */
@Streaming
final class StreamJoinTaskSuite
    extends AnyFunSuite
    with ScalaCheckPropertyChecks
    with InterpretedExpressions {
  import StreamJoinTaskSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(Sample.cases(25)))

  private case class Trial(
      l: Seq[Event],
      r: Seq[Event],
      cuts: Int,
      seed: Int,
      threads: Int,
      residual: Boolean
  )

  private val trials: Gen[Trial] =
    for {
      counts <- Gen.zip(Gen.choose(0, 120), Gen.choose(0, 120))
      seeds <- Gen.zip(Gen.choose(0, 1 << 20), Gen.choose(0, 1 << 20))
      cuts <- Gen.choose(1, 12)
      threads <- Gen.oneOf(1, 3)
      residual <- Gen.oneOf(true, false)
    } yield Trial(
      events(seeds._1, counts._1),
      events(seeds._2, counts._2),
      cuts,
      seeds._1 ^ seeds._2,
      threads,
      residual
    )

  private def check(join: TestJoin, t: Trial): Unit = {
    val tested = join.copy(threads = t.threads, residual = t.residual)
    val rows = new Oracle(tested, t.l, t.r).rows
    val got = tested.run(t.l, t.r, t.cuts, new Random(t.seed.toLong))
    if (join.inTurn) assert(got == rows)
    else assert(got.sorted == rows.sorted)
  }

  for {
    (name, probing) <- probings
    (window, inTurn) <- Seq(Within -> false, Within -> true, Skewed -> false, Skewed -> true)
  } {
    val order = if (inTurn) " in order" else ""
    test(
      s"$name join over $window$order, whatever the batches, the threads, the restarts and tasks that fail or run twice"
    ) {
      forAll(trials)(check(TestJoin(probing, window, inTurn), _))
    }
  }

  for ((name, probing) <- probings)
    test(
      s"$name join over intervals of any length, whatever the batches, the threads, the restarts and tasks that fail or " +
        "run twice, and as the rows come"
    ) {
      forAll(trials) { t =>
        val join = TestJoin(probing, Intervals, inTurn = false)
        check(join, t)
        val tested = join.copy(threads = t.threads, residual = t.residual)
        val got = tested.runAsTheyCome(t.l, t.r, 3 * t.cuts, new Random(t.seed.toLong))
        assert(got.sorted == new Oracle(tested, t.l, t.r).rows.sorted)
      }
    }

  /** The last rows of the left side, and of the right one. */
  private def lastRows(left: Long, right: Long) = RowCountWindow(0, Sides(left, right))

  for (
    (name, probing) <- probings;
    window <- Seq(lastRows(1, 1), lastRows(7, 7), lastRows(0, 4), lastRows(5, 2))
  )
    test(
      s"$name join over the last ${window.rows} rows, whatever the batches, the threads, the restarts and tasks that fail or run twice"
    ) {
      forAll(trials)(check(TestJoin(probing, window, inTurn = true), _))
    }

  for {
    (name, probing) <- probings
    (window, inTurn) <- Seq(Within -> false, Skewed -> true, lastRows(7, 7) -> true)
  } {
    val order = if (inTurn) " in order" else ""
    test(
      s"$name join over $window$order, as the rows come, whatever the restarts and the failures"
    ) {
      forAll(trials) { t =>
        val join = TestJoin(probing, window, inTurn, t.threads, t.residual)
        val rows = new Oracle(join, t.l, t.r).rows
        val got = join.runAsTheyCome(t.l, t.r, 3 * t.cuts, new Random(t.seed.toLong))
        if (inTurn) assert(got == rows)
        else assert(got.sorted == rows.sorted)
      }
    }
  }

  for {
    ((name, probing), i) <- probings.zipWithIndex
    (window, j) <- Seq(Within, Skewed, lastRows(7, 7), lastRows(0, 5)).zipWithIndex
    if probing.isInner || window.isInstanceOf[EventTimeWindow]
    algorithm <- Sample.turn(operators, i + 3 * j)
  } test(
    s"$name join over $window by $algorithm, in order, whatever the restarts and the failures"
  ) {
    val operator = Algorithm.parse(algorithm).flatten.collect { case o: NamedOperator => o }
    // Each of them starts an operator's threads over and over.
    forAll(trials, minSuccessful(PosInt.ensuringValid(if (Sample.isSoak) 25 else 3))) { trial =>
      // The planner has no NULL among what windows of rows are joined by: such rows count.
      def counted(rows: Seq[Event]) =
        if (window.isInstanceOf[RowCountWindow]) rows.filter(_.x.nonEmpty) else rows
      val t = trial.copy(l = counted(trial.l), r = counted(trial.r))
      val join = TestJoin(probing, window, inTurn = true, 1, t.residual, operator = operator)
      val rows = new Oracle(join, t.l, t.r).rows
      // An operator has an order of its own for unmatched rows of one time.
      val inOrder = join.run(t.l, t.r, 1, new Random(t.seed.toLong))
      assert(inOrder.sorted == rows.sorted)
      assert(inOrder.filterNot(_.contains("-")) == rows.filterNot(_.contains("-")))
      assert(join.run(t.l, t.r, t.cuts, new Random(t.seed.toLong)) == inOrder)
      assert(join.runAsTheyCome(t.l, t.r, 3 * t.cuts, new Random(t.seed.toLong)) == inOrder)
    }
  }

  for {
    (name, probing, perKey) <- keyed
  } test(s"$name, as the rows come, whatever the restarts and the failures") {
    forAll(trials) { t =>
      val join = TestJoin(
        probing,
        EventTimeWindow.Unbounded,
        inTurn = true,
        1,
        t.residual,
        perKey = Some(perKey)
      )
      val rows = join.run(t.l, t.r, 1, new Random(t.seed.toLong))
      assert(join.runAsTheyCome(t.l, t.r, 3 * t.cuts, new Random(t.seed.toLong)) == rows)
    }
  }

  for ((name, probing, perKey) <- keyed) {
    val join =
      TestJoin(probing, EventTimeWindow.Unbounded, inTurn = true, perKey = Some(perKey))

    test(s"$name goes on where each row is an entry of its own, as versions before wrote them") {
      forAll(trials) { t =>
        val batches = join.batches(t.l, t.r, t.cuts, new Random(t.seed.toLong))
        val (first, second) = batches.splitAt(t.cuts / 2)
        val (whole, halved) = (new join.Partition, new join.Partition)
        val before = first.flatMap(halved.run)
        halved.restartInEntries()
        val after = second.flatMap(halved.run)
        assert(before ++ after == batches.flatMap(whole.run))
        for (kind <- Seq(Chunk.LeftRows, Chunk.RightRows, Chunk.LeftWaiting, Chunk.RightWaiting))
          assert(halved.stored(kind) == whole.stored(kind))
      }
    }

    // Looking backward without a reach, all rows are held: a condition may pass over any.
    if (name != "as-of join looking backward") test(
      s"$name has rows that wait in chunks, and none that is of no use"
    ) {
      val partition = new join.Partition
      for (batch <- 0L until 40L) {
        val rows = Seq.tabulate(100)(n => Event(batch * 100 + n, Some(n % 7), batch * 100 + n))
        partition.run(Batch(rows, rows, batch * 100 - 1, batch * 100 - 1))
        // Of the last rows of 7 keys on both sides each is an entry, and some have a mark.
        assert(partition.entries <= 4 + 7 * 3 * 4, s"after batch $batch")
      }
    }
  }

  test("rows are held until their intervals have ended, in memory and in the checkpoint") {
    for (probing <- Seq(Probing.Inner, probings.toMap.apply("full outer"))) {
      val join = TestJoin(probing, Intervals, inTurn = false)
      val partition = new join.Partition
      for (batch <- 0L until 40L) {
        // One interval of each hundred is of the greatest length.
        val rows = Seq.tabulate(100)(n =>
          Event(batch * 100 + n, Some(1), if (n == 0) MostLength else (batch * 100 + n) << 8)
        )
        val over = batch * 100 - Beyond - 1
        partition.run(Batch(rows, rows.map(e => e.copy(x = Some(9))), over, over))
        assert(partition.state.leftRows <= 1100, s"after batch $batch")
        assert(partition.stored(Chunk.LeftRows) <= 600, s"after batch $batch")
        assert(partition.stored(Chunk.LeftRows) >= 100, s"after batch $batch")
      }
    }
  }

  test(
    "a window of rows holds no more of a side than it counts, in memory and in the checkpoint"
  ) {
    val join = TestJoin(Probing.Inner, lastRows(50, 50), inTurn = true)
    val partition = new join.Partition
    var at = 0L
    for (batch <- 0 until 40) {
      val rows = Seq.fill(100) {
        at += 1
        Event(at, Some(1), at)
      }
      partition.run(Batch(rows, rows.map(e => e.copy(id = -e.id)), at - 100, at))
      // What is displaced is let go of when most of a run is.
      assert(partition.state.leftRows <= 1100, s"after batch $batch")
      assert(partition.stored(Chunk.LeftRows) <= 100, s"after batch $batch")
    }
  }
}

private[scalegate] object StreamJoinTaskSuite {
  final case class Event(time: Long, x: Option[Int], id: Long)

  final case class Batch(l: Seq[Event], r: Seq[Event], late: Long, watermark: Long)

  val Within: StreamWindow = EventTimeWindow(0, -20, 30)

  /** Matches lie in the right side's future. */
  val Skewed: StreamWindow = EventTimeWindow(0, 10, 25)

  private val Beyond = 5L

  /** The greatest length of an interval, which an event's number says. */
  private val MostLength = 255L

  private def endOf(e: Event): Long = e.time + (e.id & MostLength)

  val Intervals: StreamWindow = IntervalWindow(0, Beyond, -2)

  val probings: Seq[(String, Probing)] = Seq(
    "inner" -> Probing.Inner,
    "left outer" -> Probing(Side.R, pairs = true, unmatched = true),
    "right outer" -> Probing(Side.S, pairs = true, unmatched = true),
    "full outer" -> Probing(Side.R, pairs = true, unmatched = true, unfound = true),
    "left semi" -> Probing(Side.R, pairs = false, unmatched = false),
    "left anti" -> Probing(Side.R, pairs = false, unmatched = true)
  )

  private val operators =
    Seq("scalejoin(threads=3)", "pim(threads=2)", "im", "llhj(threads=2)", "dp-join(layout=2x2)")

  private def near(direction: Direction, reach: AnswerReach, within: Option[Band])(
      keys: Sides[Seq[Expression]]
  ): PerKey = {
    val by = NearestIndex.By(direction, keyed = true, AttributeType.Int64, exact = true, within)
    NearestPerKey(keys, by, Nil, reach)
  }

  /** Joins that hold the rows of each key apart. */
  private val keyed: Seq[(String, Probing, Sides[Seq[Expression]] => PerKey)] = {
    val left = Probing(Side.R, pairs = true, unmatched = true)
    val around = IntegralBand(AttributeType.Int64, -9, 9)
    Seq(
      ("inner join over each key's last rows", Probing.Inner, LastRowsPerKey(_, Sides(3, 3))),
      (
        "full join over each key's last rows",
        left.copy(unfound = true),
        LastRowsPerKey(_, Sides(0, 2))
      ),
      (
        "as-of join looking backward",
        left.copy(most = 1),
        near(Direction.Backward, AnswerReach(None, 0, Int.MaxValue), None) _
      ),
      (
        "as-of join with the nearest rows",
        left.copy(most = 2),
        near(Direction.Nearest, AnswerReach(Some(9), 9, Int.MaxValue), Some(around)) _
      )
    )
  }

  val Delay = 12L

  /** In the order in which they arrive: none is later than `Delay`. */
  def events(seed: Int, count: Int): Seq[Event] = {
    val random = new Random(seed)
    (0 until count).map { i =>
      val x = if (random.nextInt(12) == 0) None else Some(random.nextInt(8))
      val event = Event(i * 2L + random.nextInt(Delay.toInt), x, random.nextInt(1 << 30).toLong)
      (i * 2L, event)
    }.sortBy(_._1).map(_._2)
  }

  /** A join by `|x − x| <= apart` within the window and, if there is a residual, by `l.id < r.id`. */
  final case class TestJoin(
      probing: Probing,
      window: StreamWindow,
      inTurn: Boolean,
      threads: Int = 1,
      residual: Boolean = false,
      apart: Int = 1,
      operator: Option[NamedOperator] = None,
      perKey: Option[Sides[Seq[Expression]] => PerKey] = None
  ) {
    private val left = columns
    private val right = columns
    private val condition: Option[Expression] =
      if (residual) Some(LessThan(left(2), right(2))) else None

    private def input(side: Side) = {
      val output = if (side eq Side.R) left else right
      val keyed = If(IsNull(output(1)), Literal(null, TimestampType), output(0))
      val length = BitwiseAnd(output(2), Literal(MostLength))
      val end = Add(UnixMicros(output(0)), length)
      val bounded = window match {
        case _: IntervalWindow => Seq(end, output(0), output(1))
        case _ => Seq(output(0), output(1))
      }
      StreamInput(
        if (perKey.isEmpty) bounded else Seq(keyed),
        output,
        0,
        probing.decides(side),
        if (side eq probing.side) probing.unmatched else probing.unfound,
        Nil,
        None
      )
    }

    private val timeBand = window match {
      case EventTimeWindow(_, lower, upper) => IntegralBand(AttributeType.Int64, lower, upper)
      case _ => IntegralBand(AttributeType.Int64, 0, 0)
    }

    private val bands =
      (window match {
        case _: IntervalWindow => Vector(timeBand, timeBand)
        case _ => Vector(timeBand)
      }) :+ IntegralBand(AttributeType.Int32, -apart.toLong, apart.toLong)

    private val method: Option[StreamMethod] =
      perKey.map(_(Sides(Seq(left(1)), Seq(right(1))))).orElse(operator.map(ByOperator))

    private def task: StreamTask = {
      val terms = StreamTerms(probing, Sides.each(input), bands, window, condition)
      method.fold[StreamTask](new StreamJoinTask(terms, inTurn, threads))(_.task(terms))
    }

    def run(l: Seq[Event], r: Seq[Event], cuts: Int, random: Random): Seq[String] = {
      val partition = new Partition
      batches(l, r, cuts, random).flatMap { batch =>
        if (random.nextInt(4) == 0) partition.restart()
        if (random.nextInt(3) == 0) partition.abandon(batch, after = random.nextInt(40))
        partition.run(batch)
      }
    }

    /** The same batches as parts of fewer, each of which writes to the checkpoint once. */
    def runAsTheyCome(l: Seq[Event], r: Seq[Event], cuts: Int, random: Random): Seq[String] = {
      val partition = new Partition
      batches(l, r, cuts, random).grouped(1 + random.nextInt(6)).toSeq.flatMap { parts =>
        if (random.nextInt(3) == 0) partition.restart()
        if (random.nextInt(3) == 0) partition.abandonParts(parts.take(1 + random.nextInt(3)))
        partition.runParts(parts)
      }
    }

    /** The last of them ends all windows. */
    def batches(l: Seq[Event], r: Seq[Event], cuts: Int, random: Random): Seq[Batch] = {
      val (ls, rs) = (cut(l, cuts, random), cut(r, cuts, random))
      var (late, watermark) = (Long.MinValue, Long.MinValue)
      var (maxL, maxR) = (Long.MinValue, Long.MinValue)
      val all = (0 until cuts).map { i =>
        val batch = Batch(ls(i), rs(i), late, watermark)
        maxL = (maxL +: ls(i).map(_.time)).max
        maxR = (maxR +: rs(i).map(_.time)).max
        late = watermark
        if (math.min(maxL, maxR) > Long.MinValue)
          watermark = math.max(watermark, math.min(maxL, maxR) - Delay - 1)
        batch
      }
      all :+ Batch(Nil, Nil, late, End)
    }

    private def cut(events: Seq[Event], cuts: Int, random: Random): Seq[Seq[Event]] = {
      val bounds =
        (0 +: Seq.fill(cuts - 1)(random.nextInt(events.length + 1)).sorted) :+ events.length
      bounds.zip(bounds.drop(1)).map { case (from, until) => events.slice(from, until) }
    }

    /** With its checkpoint in memory. */
    final class Partition {
      private var store = new Chunks(Map.empty)
      private var held: HeldState = task.empty
      private var number = 0L

      def state: HeldState = held

      def restart(): Unit = held = task.restored(store)

      /** Goes on from the same checkpoint, but each row in an entry of its own. */
      def restartInEntries(): Unit = {
        val watermark = Chunk.watermarkOf(store.chunks.toSeq)
        val entries = store.chunks.flatMap { c =>
          val kinds = Map(
            Chunk.LeftRows -> Chunk.LeftRows,
            Chunk.RightRows -> Chunk.RightRows,
            Chunk.LeftWaiting -> Chunk.LeftRows,
            Chunk.RightWaiting -> Chunk.RightRows
          )
          kinds.get(c.key.kind).filter(_ != c.key.kind || c.count > 1).fold(Seq(c)) { kind =>
            val rows = new RowStore(columns.length)
            Chunk.rowsInto(rows, columns.length, c.content)
            Seq.tabulate(rows.size)(rows.row).zipWithIndex.collect {
              case (row, n) if kind == c.key.kind || row.getLong(0) > watermark =>
                val part = (1 << 20) + c.key.part * Chunk.Rows + n
                Chunk.ofRow(ChunkKey(kind, c.key.batch, part), row.getLong(0), row)
            }
          }
        }
        store = new Chunks(entries.map(c => c.key -> c).toMap)
        restart()
      }

      /** Entries of the checkpoint. */
      def entries: Int = store.all.size

      /** Rows in the checkpoint. */
      def stored(kind: Int): Long = store.chunks.filter(_.key.kind == kind).map(_.count).sum

      def run(batch: Batch): Seq[String] = {
        val done = attempt(batch, Int.MaxValue)
        store = done.store
        held = done.state
        number += 1
        done.rows
      }

      /** A task that leaves no trace: its like has committed before it, or it is killed after so many rows. */
      def abandon(batch: Batch, after: Int): Unit = {
        attempt(batch, after)
        ()
      }

      def runParts(parts: Seq[Batch]): Seq[String] = {
        val done = attemptParts(parts)
        store = done.store
        held = done.state
        number += 1
        done.rows
      }

      def abandonParts(parts: Seq[Batch]): Unit = {
        attemptParts(parts)
        ()
      }

      private def attemptParts(parts: Seq[Batch]): Attempt = EmptyTask.run {
        val own = new Chunks(store.all)
        val journal = new BatchJournal(own, number)
        val join = task
        var state = join.own(held)
        val texts = parts.flatMap { part =>
          val of = StreamBatch(number, state.watermark, part.watermark, Sides.each(journal.named))
          val rows = join.joinWith(
            Sides(unsafe(part.l), unsafe(part.r)),
            of.since(state.watermark),
            state,
            services(journal)
          )
          val texts = rows.map(textOf).toVector
          state = join.own(rows.finish())
          rows.close()
          texts
        }
        Attempt(texts, state.withChunks(journal.write()), own)
      }

      private def services(store: ChunkStore) = BatchServices(
        store,
        _ => row => throw new AssertionError(s"$row is not late"),
        () => ()
      )

      private def attempt(batch: Batch, most: Int): Attempt = EmptyTask.run {
        val own = new Chunks(store.all)
        val join = task
        val rows = join.join(
          Sides(unsafe(batch.l), unsafe(batch.r)),
          StreamBatch(number, batch.late, batch.watermark),
          held,
          services(own)
        )
        try {
          val texts = rows.take(most).map(textOf).toVector
          Attempt(texts, if (rows.hasNext) held else rows.finish(), own)
        } finally rows.close()
      }
    }

    private case class Attempt(rows: Seq[String], state: HeldState, store: Chunks)

    private def textOf(pair: JoinedRow): String = {
      def id(row: InternalRow) = if (row.isNullAt(2)) None else Some(row.getLong(2))
      text(id(pair.getLeft), if (probing.pairs) id(pair.getRight) else None)
    }
  }

  final private class Chunks(before: Map[ChunkKey, Chunk]) extends ChunkStore {
    private var entries = before
    def all: Map[ChunkKey, Chunk] = entries
    def put(chunk: Chunk): Unit = entries += chunk.key -> chunk
    def remove(key: ChunkKey): Unit = entries -= key
    def chunks: Iterator[Chunk] = entries.valuesIterator
  }

  def text(l: Option[Long], r: Option[Long]): String =
    s"${l.fold("-")(_.toString)} ${r.fold("-")(_.toString)}"

  private val End = 1000000L

  private def columns = Seq(
    AttributeReference("time", TimestampType)(),
    AttributeReference("x", IntegerType)(),
    AttributeReference("id", LongType)()
  )

  private def unsafe(events: Seq[Event]): Iterator[InternalRow] = {
    val project = UnsafeProjection.create(columns.map(_.dataType).toArray)
    events.iterator.map(e => project(InternalRow(e.time, e.x.map(Int.box).orNull, e.id)))
  }

  /** All rows in one order: by time, side and columns. */
  final class Oracle(join: TestJoin, l: Seq[Event], r: Seq[Event]) {
    import join.probing

    private case class Placed(side: Side, event: Event, ordinal: Long, others: Long)

    private val merged: Vector[Placed] = {
      def usable(events: Seq[Event]) = events.filter(_.x.nonEmpty)
      val all = usable(l).map(Side.R -> _) ++ usable(r).map(Side.S -> _)
      val inOrder = all.sortWith { case ((s, a), (t, b)) =>
        if (a.time != b.time) a.time < b.time
        else if (s ne t) s eq Side.R
        else byColumns(a, b)
      }
      var (lefts, rights) = (0L, 0L)
      inOrder.map { case (side, e) =>
        if (side eq Side.R) {
          lefts += 1
          Placed(side, e, lefts, rights)
        } else {
          rights += 1
          Placed(side, e, rights, lefts)
        }
      }.toVector
    }

    /** NULL first. */
    private def byColumns(a: Event, b: Event): Boolean = {
      val order = implicitly[Ordering[(Long, Option[Int], Long)]]
      order.lt((a.time, a.x, a.id), (b.time, b.x, b.id))
    }

    private def matches(first: Placed, later: Placed): Boolean = {
      val (a, b) = if (first.side eq Side.R) (first, later) else (later, first)
      val inWindow = join.window match {
        case EventTimeWindow(_, lower, upper) =>
          val apart = b.event.time - a.event.time
          apart >= lower && apart <= upper
        case RowCountWindow(_, n) =>
          first.ordinal <= later.others && first.ordinal > later.others - n(first.side)
        case IntervalWindow(_, leftReach, rightReach) =>
          b.event.time <= endOf(a.event) + leftReach && a.event.time <= endOf(
            b.event
          ) + rightReach
      }
      inWindow && (first.side ne later.side) &&
      math.abs(a.event.x.get - b.event.x.get) <= join
        .apart && (!join.residual || a.event.id < b.event.id)
    }

    /** Something that is given, and when: at a turn in the order, and there by these. */
    private case class Given(turn: Double, time: Long, side: Int, event: Event, text: String)

    private def closing(p: Placed): Option[(Double, Long)] = join.window match {
      case EventTimeWindow(_, lower, upper) =>
        val shift = if (p.side eq Side.R) upper else -lower
        val time = p.event.time + math.max(0, shift)
        Some((merged.count(_.event.time <= time) - 0.5, time))
      case RowCountWindow(_, n) =>
        val at = merged.indexWhere(q => (q.side eq p.side) && q.ordinal == p.ordinal + n(p.side))
        if (at < 0) None else Some((at + 0.5, merged(at).event.time))
      case _: IntervalWindow => Some((merged.size.toDouble, 0))
    }

    private def textOf(p: Placed, q: Option[Placed]): String = {
      val (a, b) = if (p.side eq Side.R) (Some(p), q) else (q, Some(p))
      text(a.map(_.event.id), if (probing.pairs) b.map(_.event.id) else None)
    }

    def rows: Seq[String] = {
      val pairs = for {
        at <- merged.indices
        before <- merged.take(at)
        if matches(before, merged(at))
      } yield (at, before, merged(at))
      val got = mutable.ArrayBuffer.empty[Given]
      if (probing.pairs)
        for ((at, a, b) <- pairs) got += Given(at.toDouble, 0, 0, a.event, textOf(b, Some(a)))
      else if (!probing.unmatched) {
        val seen = mutable.HashSet.empty[Placed]
        for ((at, a, b) <- pairs) {
          val row = if (a.side eq probing.side) a else b
          if (seen.add(row)) got += Given(at.toDouble, 0, 0, a.event, textOf(row, None))
        }
      }
      val matched = pairs.flatMap { case (_, a, b) => Seq(a, b) }.toSet
      for (side <- Seq(Side.R, Side.S))
        if (if (side eq probing.side) probing.unmatched else probing.unfound) {
          for {
            p <- merged if (p.side eq side) && !matched(p)
            (turn, time) <- closing(p)
          } got += Given(turn, time, if (side eq Side.R) 0 else 1, p.event, textOf(p, None))
          for (e <- if (side eq Side.R) l else r if e.x.isEmpty) {
            val turn = merged.count(_.event.time <= e.time) - 0.5
            got += Given(
              turn,
              e.time,
              if (side eq Side.R) 0 else 1,
              e,
              textOf(Placed(side, e, 0, 0), None)
            )
          }
        }
      // Pairs of a row come in the order of the earlier ones, as they were found.
      got.toSeq.zipWithIndex.sortWith { case ((a, i), (b, j)) =>
        if (a.turn != b.turn) a.turn < b.turn
        else if (a.turn == math.rint(a.turn)) i < j
        else if (a.time != b.time) a.time < b.time
        else if (a.side != b.side) a.side < b.side
        else byColumns(a.event, b.event)
      }.map(_._1.text)
    }
  }
}
