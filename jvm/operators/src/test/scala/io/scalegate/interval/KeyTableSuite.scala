package io.scalegate.interval

import scala.collection.mutable

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.join.JoinRuns
import io.scalegate.stream.{Side, StreamTuple}

/** A replica's keys and their counts against maps. */
final class KeyTableSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val keys: Gen[Long] = Gen.frequency(
    8 -> Gen.choose(-200L, 200L),
    1 -> Gen.choose(1L, 40L).map(_ << 32),
    1 -> Gen.oneOf(Long.MinValue, Long.MaxValue)
  )

  test("a table finds the keys that were asked for and not dropped, and no others") {
    forAll(Gen.listOfN(400, Gen.zip(keys, Gen.choose(0, 99)))) { steps =>
      val table = new KeyTable[KeyEntry](key => new KeyEntry(key, Array(KeyTable.spread(key, 3))))
      val expected = mutable.Map.empty[Long, KeyEntry]
      for ((key, dice) <- steps) {
        assert(table.find(key) == expected.getOrElse(key, null))
        expected(key) = table.entry(key)
        assert(table.entry(key) eq expected(key))
        if (dice == 0) {
          expected.filterInPlace((key, _) => key % 3 == 0)
          table.retain(table.all.filter(_.key % 3 == 0))
        }
        assert(table.size == expected.size)
      }
      assert(table.all.toSet == expected.values.toSet)
      assert(table.all.forall(e => e.members.toSeq == Seq(KeyTable.spread(e.key, 3))))
    }
  }

  test("consecutive keys are spread evenly, and on the same replica every time") {
    for (n <- Seq(1, 2, 3, 8)) {
      val replicas = (0L until 8000L).map(KeyTable.spread(_, n))
      for (j <- 0 until n) assert(math.abs(replicas.count(_ == j) * n / 8000.0 - 1) < 0.1)
      assert((0L until 8000L).map(KeyTable.spread(_, n)) == replicas)
    }
  }

  test("members take turns; a plan starts them anew, so that a new member agrees with the old") {
    val e = new KeyEntry(5, Array(1))
    assert(Seq.fill(3)(e.r.takeTurn(e.members)) == Seq(1, 1, 1))
    e.assign(Array(1, 0), pinned = true)
    assert(Seq.fill(3)(e.r.takeTurn(e.members)) == Seq(1, 0, 1))
    assert(Seq.fill(1)(e.s.takeTurn(e.members)) == Seq(1))
    e.assign(Array(1, 0, 2), pinned = true)
    assert(Seq.fill(4)(e.r.takeTurn(e.members)) == Seq(1, 0, 2, 1))
    assert(Seq.fill(4)(e.s.takeTurn(e.members)) == Seq(1, 0, 2, 1))
    e.assign(Array(1), pinned = false)
    assert(Seq.fill(2)(e.r.takeTurn(e.members)) == Seq(1, 1))
  }

  private def counts(of: KeyCounts): Map[Long, (Int, Int)] =
    (0 until of.cells).filter(of.isUsed)
      .map(at => of.key(at) -> ((of.countOfR(at), of.countOfS(at)))).toMap

  private def tuple(key: Long, side: Side): StreamTuple = JoinRuns.tuple(0, 0, 0, side, key)

  test("counts are by key and stream; with age they halve, and keys without any are forgotten") {
    forAll(Gen.listOfN(300, Gen.zip(keys, Gen.oneOf[Side](Side.R, Side.S), Gen.choose(0, 59)))) {
      steps =>
        val counted = new KeyCounts
        var expected = Map.empty[Long, (Int, Int)]
        for ((key, side, dice) <- steps) {
          counted.count(tuple(key, side))
          expected = expected.updatedWith(key) { present =>
            val (r, s) = present.getOrElse((0, 0))
            Some(if (side eq Side.R) (r + 1, s) else (r, s + 1))
          }
          if (dice == 0) {
            counted.age()
            expected = expected.map { case (key, (r, s)) => key -> ((r / 2, s / 2)) }
              .filter(_._2 != ((0, 0)))
          }
          assert(counted.size == expected.size)
        }
        assert(counts(counted) == expected)
    }
  }
}
