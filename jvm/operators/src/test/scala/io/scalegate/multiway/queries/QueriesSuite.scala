package io.scalegate.multiway.queries

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.Sample
import io.scalegate.multiway.design.{MQ, MQLF, TuMLMC, TuMLSC, WiML}
import io.scalegate.multiway.{AggregateDesign, AggregateRuns, PaneAggregate}
import io.scalegate.stream.StreamTuple

/** The twelve queries of multiway aggregation's Table 2 in all designs, against their definitions,
  * on some twenty seconds of streams of its two data sets' shapes; and those shapes. In a campaign each query is tried
  * in each design, with panes and without; otherwise in half of the designs, and with panes by turns.
  */
class QueriesSuite extends AnyFunSuite {
  import AggregateRuns._

  private val Inputs = 5
  private val designs = Seq(MQ, MQLF, TuMLSC, new TuMLMC(2), WiML, WiML.Michael)

  private val made = mutable.Map.empty[Boolean, Vector[StreamTuple]]

  private def check[S <: AnyRef, R](query: Query[S, R]): Unit = {
    def tested(design: AggregateDesign) =
      !query.function.isOrderSensitive || !design.isInstanceOf[WiML]
    def data = made.getOrElseUpdate(
      query.isEnergy,
      query.data(Inputs, if (query.isEnergy) 60000 else 20000).toVector
    )
    lazy val feeds = Vector.tabulate(Inputs)(i => data.filter(_.source == i))
    lazy val expected = query.defined(data)
    val number = Query.all.indexOf(query)
    for {
      (plain, i) <- designs.zipWithIndex
      if tested(plain) && (Sample.isSoak || (number + i) % 2 == 0)
      design <- Sample.turn(Seq(plain, new PaneAggregate(plain)), number / 2 + i / 2)
    }
      test(s"${query.id} in ${design.name}, an input for each thread: the definition's windows") {
        val spec = query.spec.copy(keyOrder = Some(Query.keyOrder))
        assert(opened(design, spec, Inputs)(threaded(_, feeds)) == expected)
      }
  }

  Query.all.foreach(check(_))

  test("each of 243 meters reads ten times a second, in equal steps, by any input") {
    val data = QueryData.energy(Inputs, 100 * 243)
    assert(inOrder(data))
    val byMeter = data.toVector.groupBy(_.row.asInstanceOf[Reading].meter)
    assert(byMeter.size == 243)
    for ((meter, ts) <- byMeter)
      assert(ts.size == 100 && ts.zip(ts.tail).forall(p => p._2.ts - p._1.ts == 100), meter)
    assert(inputsAreEven(data))
  }

  test("comments come a thousand a second, on 40,000 songs of which the n-th has about 1/n") {
    val data = QueryData.comments(Inputs, 400000)
    assert(inOrder(data) && data.last.ts == 399999 && inputsAreEven(data))
    val songs = data.map(_.row.asInstanceOf[Comment].song / 7919L + 1)
    assert(songs.min == 1 && songs.max > 39900 && songs.max <= 40000)
    for (n <- Seq(1, 10, 100, 1000, 10000)) {
      val share = songs.count(_ <= n).toDouble / songs.length
      assert(math.abs(share - math.log(n + 1.0) / math.log(40001.0)) < 0.01, n)
    }
  }

  test("one text in twenty holds a mail address, and one in fifty an IP address") {
    val texts = QueryData.comments(1, 200000).map(_.row.asInstanceOf[Comment].text).distinct
    assert(texts.length > 4900)
    def share(pattern: String) =
      texts.count(pattern.r.findFirstIn(_).isDefined).toDouble / texts.length
    assert(math.abs(share(Query.Mail) - 0.05) < 0.01)
    assert(math.abs(share(Query.Ip) - 0.02) < 0.01)
    assert(texts.forall(t => t.contains("@") == Query.Mail.r.findFirstIn(t).isDefined))
  }

  test("the data are the same every time, everywhere") {
    def digest(data: Array[StreamTuple]) = data.iterator.map { t =>
      val row = t.row match {
        case r: Reading => (r.meter.longValue, r.kwh)
        case c: Comment => (c.song.longValue, c.text)
        case other => fail(s"$other in the data")
      }
      (t.ts, t.source, t.seq, row).##
    }.foldLeft(0)(31 * _ + _)
    assert(digest(QueryData.energy(20, 50000)) == EnergyDigest)
    assert(digest(QueryData.comments(20, 50000)) == CommentsDigest)
  }

  private val EnergyDigest = -245882855
  private val CommentsDigest = -835477922

  private def inOrder(data: Array[StreamTuple]): Boolean =
    data.indices.drop(1).forall(i => data(i - 1).ts <= data(i).ts && data(i).seq == i)

  private def inputsAreEven(data: Array[StreamTuple]): Boolean =
    (0 until Inputs).forall { i =>
      math.abs(data.count(_.source == i).toDouble / data.length - 1.0 / Inputs) < 0.01
    }
}
