package io.scalegate.spark.join.stream.hotkeys

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  CollationAwareMurmur3Hash,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType, TimestampType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample
import io.scalegate.spark.InterpretedExpressions
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.task.StreamJoinTaskSuite
import io.scalegate.spark.rows.PartitionIds
import io.scalegate.stream.Side
import io.scalegate.tags.Streaming

/** A keyed streaming join over several partitions that share hot keys, whichever are taken for hot, against all pairs
  * of its rows.
  */
@Streaming
final class HotKeysSuite
    extends AnyFunSuite
    with ScalaCheckPropertyChecks
    with InterpretedExpressions {
  import HotKeysSuite._
  import StreamJoinTaskSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(Sample.cases(60)))

  private case class Trial(seed: Int, counts: (Int, Int), cuts: Int, partitions: Int)

  private val trials: Gen[Trial] =
    for {
      seed <- Gen.choose(0, 1 << 20)
      counts <- Gen.zip(Gen.choose(0, 150), Gen.choose(0, 150))
      cuts <- Gen.choose(1, 16)
      partitions <- Gen.choose(2, 5)
    } yield Trial(seed, counts, cuts, partitions)

  for {
    (name, probing) <- probings if !probing.unfound
    window <- Seq(Within, Skewed)
  }
    test(
      s"$name join over $window, whichever keys come and go as hot ones, whatever the batches and restarts"
    ) {
      forAll(trials) { t =>
        val join = TestJoin(probing, window, inTurn = false, apart = 0)
        val (l, r) = (events(t.seed, t.counts._1), events(t.seed + 1, t.counts._2))
        val random = new Random(t.seed.toLong)
        val shared = new Shared(join, t.partitions, random)
        val got = join.batches(l, r, t.cuts, random).flatMap(shared.run)
        assert(got.sorted == new Oracle(join, l, r).rows.sorted)
      }
    }

  test("a share of the rows is a replica's when its copies are complete, and not before") {
    val join = TestJoin(Probing.Inner, Within, inTurn = false, apart = 0)
    val shared = new Shared(join, 2, new Random(1))
    val home = Math.floorMod(hash(Some(3)), 2)
    def rows(from: Long) =
      Seq.tabulate(40)(i => Event(from + i / 4, Some(3), from * 1000 + i))
    def batch(from: Long) = Batch(rows(from), rows(from + 1), from - 2, from - 1)
    def held(partition: Int) = shared.partitions(partition).state
    shared.share(batch(100))
    shared.hot = HotKeys.none.towards(Side.R, Map(3 -> Seq(1 - home)), shared.latest)
    shared.share(batch(110))
    assert(held(1 - home).leftRows == 0 && held(1 - home).rightRows == 40)
    shared.share(batch(200))
    assert(shared.hot.keys(3).map(_.phase) == Vector(Replica.Serving))
    assert(held(1 - home).leftRows > 0 && held(1 - home).rightRows >= 40)
    shared.hot = shared.hot.towards(Side.S, Map.empty, shared.latest)
    shared.share(batch(210))
    assert(shared.hot.keys.contains(3))
    shared.share(batch(400))
    assert(shared.hot.keys.isEmpty)
    shared.share(batch(500))
    assert(held(1 - home).leftRows + held(1 - home).rightRows == 0)
  }

  test("late rows are not copied, nor are those of other keys; rows of one side are") {
    val hot = HotKeys(Some(Side.S), Map(7 -> Vector(Replica(2, Replica.Serving))))
    def sent(side: Side, event: Event) = {
      val splitter = new RowSplitter(KeyRouter(hot, side, 3), 3, 0, late = 10)
      splitter.read(keyed(event, event.x.get))
      splitter.map(row => PartitionIds.partitionOf(row.getLong(3), 3)).toSeq
    }
    assert(sent(Side.R, Event(11, Some(7), 1)) == Seq(1, 2))
    assert(sent(Side.R, Event(10, Some(7), 1)) == Seq(1))
    assert(sent(Side.R, Event(11, Some(8), 1)) == Seq(2))
    val one = (1L to 100L).map(id => sent(Side.S, Event(11, Some(7), id)))
    assert(one.forall(_.length == 1) && one.flatten.toSet == Set(1, 2))
  }

  test("a key's home is where Spark's exchange by it takes it") {
    val (k, name) =
      (AttributeReference("k", IntegerType)(), AttributeReference("n", StringType)())
    val random = new Random(11)
    for (partitions <- 2 to 9; keys <- Seq(Seq(k), Seq(k, name))) {
      val spark = UnsafeProjection.create(
        Seq(HashPartitioning(keys, partitions).partitionIdExpression),
        Seq(k, name)
      )
      val hash =
        UnsafeProjection.create(Seq(new CollationAwareMurmur3Hash(keys)), Seq(k, name))
      val router = KeyRouter(HotKeys.none, Side.R, partitions)
      for (_ <- 0 until 50) {
        val row = InternalRow(
          if (random.nextInt(9) == 0) null else random.nextInt(),
          UTF8String.fromString(random.nextString(4))
        )
        val home = PartitionIds.partitionOf(router.home(hash(row).getInt(0)), partitions)
        assert(home == spark(row).getInt(0))
      }
    }
  }

  test("a table is read as it was written, and what is none is refused") {
    val hot = HotKeys(
      Some(Side.R),
      Map(
        -5 -> Vector(Replica(0, Replica.Filling(Long.MinValue)), Replica(4, Replica.Serving)),
        9 -> Vector(Replica(1, Replica.Leaving(77)))
      )
    )
    assert(HotKeys.parsed(HotKeys.text(hot)) == hot)
    assert(HotKeys.parsed(HotKeys.text(HotKeys.none)) == HotKeys.none)
    for (
      text <- Seq(
        "",
        "v2\nleft\n",
        "v1\nleft\n9 1 gone\n",
        "v1\nup\n",
        "v1\nleft\n9 one serving\n",
        "v1\nleft\n\n"
      )
    )
      assertThrows[IllegalArgumentException](HotKeys.parsed(text))
  }
}

private object HotKeysSuite {
  import StreamJoinTaskSuite._

  /** The partitions of one join, and a driver that takes any keys for hot. */
  private val projection = UnsafeProjection.create(
    Array[DataType](TimestampType, IntegerType, LongType, LongType)
  )

  final class Shared(val join: TestJoin, count: Int, random: Random) {
    val partitions = Vector.fill(count)(new join.Partition)
    var hot: HotKeys = HotKeys.none

    def latest(side: Side): Long = partitions.map(_.state.latest(side)).max

    def run(batch: Batch): Seq[String] = {
      if (random.nextInt(3) == 0) {
        hot = advanced(batch.late)
        val single = if (join.probing.isInner) side else join.probing.side
        hot = hot.towards(single, wanted(), latest)
        hot = HotKeys.parsed(HotKeys.text(hot))
      }
      if (random.nextInt(4) == 0) partitions.foreach(_.restart())
      share(batch)
    }

    /** By the present table. */
    def share(batch: Batch): Seq[String] = {
      hot = advanced(batch.late)
      val (l, r) = (sent(Side.R, batch.l, batch.late), sent(Side.S, batch.r, batch.late))
      partitions.indices.flatMap { i =>
        partitions(i).run(batch.copy(l = l.getOrElse(i, Nil), r = r.getOrElse(i, Nil)))
      }
    }

    private val side = if (random.nextBoolean()) Side.R else Side.S

    private def advanced(late: Long) = hot.advanced(join.window.expired(_, late, 0))

    private def wanted() = {
      val keys = Seq.fill(random.nextInt(6))(hash(Some(random.nextInt(8))))
      keys.distinct.map { key =>
        val others = random.shuffle((0 until count).filter(_ != Math.floorMod(key, count)))
        key -> others.take(1 + random.nextInt(others.length))
      }.toMap
    }

    private def sent(side: Side, events: Seq[Event], late: Long): Map[Int, Seq[Event]] = {
      val splitter = new RowSplitter(KeyRouter(hot, side, count), 3, 0, late)
      val pairs = events.flatMap { event =>
        splitter.read(keyed(event, hash(event.x)))
        splitter.map(row => PartitionIds.partitionOf(row.getLong(3), count) -> event).toSeq
      }
      pairs.groupMap(_._1)(_._2)
    }
  }

  def hash(x: Option[Int]): Int = x.getOrElse(42)

  /** Valid until the next is asked for. */
  def keyed(event: Event, hash: Int): UnsafeRow = projection(
    InternalRow(event.time, event.x.map(Int.box).orNull, event.id, hash.toLong)
  )
}
