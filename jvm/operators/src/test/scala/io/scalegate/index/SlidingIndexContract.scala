package io.scalegate.index

import java.util.SplittableRandom

import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample

/** What every index does for one thread; an implementation's suite is one line.
  *
  * @param make
  *   an index for a window of so many tuples
  * @param held
  *   how many tuples an index may hold of a window of so many
  */
abstract class SlidingIndexContract(make: Int => SlidingIndex, held: Int => Int)
    extends AnyFunSuite
    with ScalaCheckPropertyChecks {

  /** Rows that the large windows hold: trees of three levels. */
  protected def window: Int = if (Sample.isSoak) 4000 else 1500

  /** Random cases in a campaign, an eighth of them in a run of the tests. */
  protected def tried: Int = 200
  import IndexCases.shrinkSteps

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful =
      PosInt.ensuringValid(Sample.few(tried))
    )

  private val query = new RangeQuery
  private val out = new PositionBuffer

  private def found(index: SlidingIndex, lo: Long, hi: Long): Seq[Long] =
    found(index, lo, hi, Long.MinValue, Long.MaxValue)

  private def found(index: SlidingIndex, lo: Long, hi: Long, first: Long, last: Long) = {
    out.clear()
    index.search(lo, hi, first, last, out)
    out.sort()
    (0 until out.size).map(out(_))
  }

  /** An index and its definition, fed alike. */
  private class Fed(window: Int) {
    val index: SlidingIndex = make(window)
    val oracle = new IndexOracle
    private var next = 0L

    def insert(key: Long): Unit = {
      index.insert(key, next)
      oracle.insert(key, next)
      next += 1
      keep(window)
    }

    def keep(tuples: Int): Unit = index.expireBefore(oracle.keep(tuples))

    def agree(lo: Long, hi: Long): Unit = {
      assert(found(index, lo, hi) == oracle.search(lo, hi, Long.MinValue, Long.MaxValue))
      ()
    }

    def agreeOnAll(): Unit = agree(Long.MinValue, Long.MaxValue)
  }

  test("finds what the definition finds, whatever is inserted, expired and searched") {
    forAll(IndexCases.cases) { c =>
      val index = make(c.tuples)
      val oracle = new IndexOracle
      var position = c.start
      c.steps.foreach {
        case Step.Insert(key) =>
          index.insert(key, position)
          oracle.insert(key, position)
          position += c.gap
        case Step.Keep(tuples) => index.expireBefore(oracle.keep(tuples))
        case Step.Search(lo, hi) =>
          assert(found(index, lo, hi) == oracle.search(lo, hi, Long.MinValue, Long.MaxValue))
        case Step.SearchPart(lo, hi, from, to) =>
          val first = oracle.positionAt(from)
          val last = oracle.positionAt(to)
          assert(found(index, lo, hi, first, last) == oracle.search(lo, hi, first, last))
      }
      assert(index.size >= oracle.size)
    }
  }

  for (
    (keys, key) <- Seq[(String, (SplittableRandom, Int) => Long)](
      "random keys" -> ((random, _) => random.nextLong()),
      "keys of a small range" -> ((random, _) => random.nextInt(1000).toLong),
      "rising keys" -> ((_, i) => i.toLong),
      "falling keys" -> ((_, i) => -i.toLong),
      "one key" -> ((_, _) => 42L),
      "two keys by turns" -> ((_, i) => i % 2L),
      "keys that drift" -> ((random, i) => i / 10 + random.nextInt(500).toLong),
      "long runs of equal keys" -> ((random, i) => (i / 700).toLong ^ random.nextInt(2).toLong)
    )
  )
    test(s"a large window turns over five times with $keys, and memory stays bounded") {
      val fed = new Fed(window)
      val random = new SplittableRandom(11)
      var settled = 0L
      for (i <- 0 until 5 * window) {
        val k = key(random, i)
        fed.insert(k)
        if (i % 40 == 0) fed.agree(k - random.nextInt(50), k + random.nextInt(50))
        if (i % 1500 == 0) fed.agreeOnAll()
        assert(fed.index.size <= held(window))
        if (i == 3 * window) settled = fed.index.memoryBytes
      }
      assert(fed.index.memoryBytes <= 2 * settled)
    }

  test("an empty index finds nothing") {
    val index = make(10)
    assert(found(index, Long.MinValue, Long.MaxValue).isEmpty)
    assert(found(index, Long.MinValue, Long.MinValue).isEmpty)
    assert(found(index, Long.MaxValue, Long.MaxValue).isEmpty)
    assert(index.size == 0)
    index.expireBefore(5)
    assert(index.size == 0)
  }

  test("a range whose ends are swapped finds nothing; one of a single key finds that key") {
    val fed = new Fed(500)
    (0 until 500).foreach(i => fed.insert(i % 50L))
    assert(found(fed.index, 30, 29).isEmpty)
    assert(found(fed.index, Long.MaxValue, Long.MinValue).isEmpty)
    assert(found(fed.index, 30, 30).size == 10)
    assert(found(fed.index, 30, 30, 400, 300).isEmpty)
  }

  test("the ends of the number range are keys and positions like any other") {
    val index = make(4)
    index.insert(Long.MaxValue, Long.MinValue)
    index.insert(Long.MinValue, 0)
    index.insert(Long.MaxValue, Long.MaxValue)
    assert(found(index, Long.MaxValue, Long.MaxValue) == Seq(Long.MinValue, Long.MaxValue))
    assert(found(index, Long.MinValue, Long.MinValue) == Seq(0L))
    assert(found(index, Long.MinValue + 1, Long.MaxValue - 1).isEmpty)
    index.expireBefore(Long.MaxValue)
    assert(found(index, Long.MinValue, Long.MaxValue) == Seq(Long.MaxValue))
  }

  test("expiry is exclusive, and a bound below an earlier one changes nothing") {
    val fed = new Fed(1000)
    (0 until 100).foreach(i => fed.insert(i.toLong))
    fed.index.expireBefore(40)
    assert(found(fed.index, 30, 45) == (40 to 45))
    fed.index.expireBefore(20)
    assert(found(fed.index, 30, 45) == (40 to 45))
  }

  test("when everything has expired nothing is found, and the index goes on") {
    val fed = new Fed(200)
    for (round <- 1 to 20) {
      (0 until 150).foreach(i => fed.insert((i * 37L) % 101))
      fed.agreeOnAll()
      fed.keep(0)
      fed.agreeOnAll()
      assert(fed.oracle.size == 0 && found(fed.index, 0, 101).isEmpty, s"round $round")
    }
  }

  for (width <- Seq(0L, 3L, 40L, Long.MaxValue))
    test(s"a search for keys $width apart may restrict the values too") {
      val window = 3000
      val index = make(window)
      val random = new SplittableRandom(width)
      val ends = Array(Int.MinValue, -1, 0, 7, Int.MaxValue)
      def value() = if (random.nextInt(4) == 0) ends(random.nextInt(5)) else random.nextInt(100)
      var tuples = Vector.empty[(Long, Int, Long)]
      for (i <- 0 until 3 * window) {
        tuples = (tuples :+ ((random.nextInt(100).toLong, value(), i.toLong))).takeRight(window)
        index.insert(tuples.last._1, tuples.last._2, i.toLong)
        index.expireBefore(tuples.head._3)
        if (i % 60 == 59) {
          val lo = random.nextInt(100).toLong
          val hi = if (width == Long.MaxValue) width else lo + width
          val bounds = (value(), value())
          val first = tuples.head._3 + random.nextInt(1000)
          out.clear()
          index.search(
            query.keys(lo, hi).values(bounds._1, bounds._2).positions(first, i - 5L),
            out
          )
          out.sort()
          val expected = tuples.collect {
            case (k, v, p)
                if lo <= k && k <= hi && bounds._1 <= v &&
                  v <= bounds._2 && first <= p && p <= i - 5 =>
              p
          }
          assert((0 until out.size).map(out(_)) == expected)
        }
      }
    }

  test("what is inserted below the window's bound is not reported") {
    val index = make(10)
    index.insert(1, 1)
    index.expireBefore(10)
    index.insert(1, 5)
    index.insert(1, 10)
    assert(found(index, 1, 1) == Seq(10L))
  }

  test("a search appends to what the buffer holds") {
    val index = make(10)
    index.insert(1, 5)
    val buffer = new PositionBuffer(1)
    buffer.add(99)
    index.search(0, 2, buffer)
    index.search(0, 2, buffer)
    assert((0 until buffer.size).map(buffer(_)) == Seq(99L, 5L, 5L))
  }

  test("a cleared index is as good as new") {
    val index = make(300)
    for (round <- 1 to 3) {
      val oracle = new IndexOracle
      for (i <- 0 until 1000) {
        index.insert(i * 17L % 256, i.toLong)
        oracle.insert(i * 17L % 256, i.toLong)
        index.expireBefore(oracle.keep(300))
      }
      assert(found(index, 0, 300) == oracle.search(0, 300, 0, 1000), s"round $round")
      index.clear()
      assert(index.size == 0 && found(index, 0, 300).isEmpty)
    }
  }

  test("a window that outgrows what was expected stays correct") {
    val index = make(16)
    val oracle = new IndexOracle
    for (i <- 0 until 5000) {
      index.insert(i * 31L % 997, i.toLong)
      oracle.insert(i * 31L % 997, i.toLong)
      if (i > 3000) index.expireBefore(oracle.keep(5000 - i))
      if (i % 250 == 0) assert(found(index, 100, 300) == oracle.search(100, 300, 0, 5000))
    }
  }
}
