package io.scalegate.multiway.winset

import scala.collection.mutable

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample
import io.scalegate.gate.Threads
import io.scalegate.multiway.function.{AggregateFunction, StateTable}

/** Michael's table as a winset: every key once, with all that was added, whoever added it. */
final class SharedTableSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** What was added, in some order. A state is changed in place, so two who have it would be seen. */
  private object Added extends AggregateFunction[Int, mutable.ArrayBuffer[Int], Seq[Int]] {
    def name = "added"
    def create(): mutable.ArrayBuffer[Int] = mutable.ArrayBuffer.empty
    def add(state: mutable.ArrayBuffer[Int], n: Int): mutable.ArrayBuffer[Int] = state += n
    def merge(
        a: mutable.ArrayBuffer[Int],
        b: mutable.ArrayBuffer[Int]
    ): mutable.ArrayBuffer[Int] = a ++= b
    def result(state: mutable.ArrayBuffer[Int]): Seq[Int] = state.sorted.toSeq
  }

  private type Table = SharedTable[Int, mutable.ArrayBuffer[Int]]

  private def rows(table: Table): Vector[(AnyRef, Seq[Int])] = {
    val rows = Vector.newBuilder[(AnyRef, Seq[Int])]
    table.foreach((key, state) => rows += key -> Added.result(state))
    rows.result()
  }

  private val keys: Gen[AnyRef] = Gen.oneOf(
    Gen.choose(0L, 40L).map(Long.box(_): AnyRef),
    Gen.oneOf(null, "", "a", "Aa", "BB") // the last two have one hash
  )

  test("it has the keys that came, each with what was added or with nothing") {
    forAll(Gen.listOf(Gen.zip(keys, Gen.option(Gen.choose(0, 99)))), Gen.choose(0, 100)) {
      (steps, expected) =>
        val table = new Table(0, expected, Added)
        for ((key, value) <- steps; hash = StateTable.hash(key))
          value.fold(table.touch(key, hash))(table.add(key, hash, _))
        val found = rows(table)
        assert(found.map(_._1).distinct.size == found.size)
        assert(found.toMap == steps.groupMap(_._1)(_._2).view.mapValues(_.flatten.sorted).toMap)
    }
  }

  for (
    (what, hash) <- Seq[(String, AnyRef => Int)]("spread" -> StateTable.hash, "equal" -> (_ => 8))
  )
    test(
      s"four threads add to the same keys, of hashes that are $what: nothing lost or doubled"
    ) {
      for (round <- 1 to Sample.rounds(160)) {
        val table = new Table(0, 4, Added)
        Threads.run((0 until 4).map(thread =>
          () =>
            for (i <- 0 until 400) {
              val key = Int.box((i * (round + 3)) % 9)
              if (i % 7 == thread) table.touch(key, hash(key))
              table.add(key, hash(key), thread * 1000 + i)
            }
        ))
        val expected = (0 until 400).flatMap(i =>
          (0 until 4).map(thread => Int.box((i * (round + 3)) % 9) -> (thread * 1000 + i))
        )
        assert(
          rows(table).toMap == expected.groupMap(_._1: AnyRef)(_._2).view.mapValues(_.sorted).toMap
        )
        assert(rows(table).size == expected.map(_._1).distinct.size)
      }
    }
}
