package io.scalegate.join

import org.scalacheck.Gen

import io.scalegate.band.{AttributeType, Band, FloatingBand, IntegralBand}
import io.scalegate.stream.{
  CountWindow,
  EventOrder,
  Side,
  SortableKey,
  StreamTuple,
  TimeWindow,
  Window
}

/** A join's input: what each source delivers, in its order. */
final case class JoinCase(spec: JoinSpec, feeds: Vector[(Side, Vector[StreamTuple])]) {
  def sides: Vector[Side] = feeds.map(_._1)

  def tuples: Vector[StreamTuple] = feeds.flatMap(_._2)

  /** The same tuples as one stream that is joined with itself. */
  def ofOneStream: JoinCase = copy(feeds = feeds.map { case (_, feed) =>
    Side.S -> feed.map(t => new StreamTuple(t.ts, t.source, t.seq, Side.S, t.attrs, t.row))
  })

  override def toString: String =
    s"${spec.window}, ${spec.bands}, residual ${spec.residual.isDefined}, " +
      feeds.map { case (side, ts) => s"$side: ${ts.map(t => (t.ts, t.attrs.toSeq))}" }.mkString(
        "; "
      )
}

/** The definition of a join's result, pair by pair over the whole input. */
object Definition {
  type Pair = (Int, Long, Int, Long)

  /** A pair as its tuples' places: later source and sequence number, then the earlier's. */
  def pair(later: StreamTuple, earlier: StreamTuple): Pair =
    (later.source, later.seq, earlier.source, earlier.seq)

  def pair(result: JoinResult): Pair = pair(result.later, result.earlier)

  /** @param isSelf
    *   whether the tuples, all of S, are those of one stream that is joined with itself
    */
  def results(join: JoinCase, isSelf: Boolean = false): Vector[Pair] = {
    val order =
      Ordering.comparatorToOrdering[StreamTuple]((a, b) => EventOrder.Tuples.compare(a, b))
    val all = join.tuples.sorted(order)
    for {
      later <- all.indices.toVector
      earlier <- 0 until later
      if isSelf || (all(later).side ne all(earlier).side)
      if all(later).ts >= join.spec.from && inWindow(join.spec.window, all, later, earlier)
      (r, s) = if (all(later).side eq Side.R) (later, earlier) else (earlier, later)
      if join.spec.bands.zipWithIndex.forall { case (b, i) =>
        inBand(b, all(r).attrs(i), all(s).attrs(i))
      }
      if join.spec.residual.forall(_.apply().matches(all(r), all(s)))
    } yield pair(all(later), all(earlier))
  }

  private def inWindow(
      window: Window,
      all: Vector[StreamTuple],
      later: Int,
      earlier: Int
  ): Boolean =
    window match {
      case TimeWindow(lower, upper) =>
        val (r, s) = if (all(later).side eq Side.R) (later, earlier) else (earlier, later)
        val distance = BigInt(all(s).ts) - all(r).ts
        lower <= distance && distance <= upper
      case w: CountWindow =>
        val side = all(earlier).side
        // Of one stream all are S's, and the earlier one stands for R.
        val rows = w.rows(all(later).side.opposite)
        all.slice(earlier, later).count(_.side eq side) <= rows
    }

  /** A floating-point band promises a superset only; the cases pair it with its exact residual.
    */
  private def inBand(band: Band, r: Long, s: Long): Boolean = band match {
    case IntegralBand(_, lower, upper) =>
      val distance = BigInt(s) - r
      lower <= distance && distance <= upper
    case _: FloatingBand => true
  }
}

/** How users write a floating-point band, in the attribute's own arithmetic. */
sealed abstract class Spelling {
  def float(r: Float, s: Float, d: Float): Boolean
  def double(r: Double, s: Double, d: Double): Boolean
}

object Spelling {
  case object Difference extends Spelling {
    def float(r: Float, s: Float, d: Float): Boolean = math.abs(r - s) <= d
    def double(r: Double, s: Double, d: Double): Boolean = math.abs(r - s) <= d
  }

  /** `s BETWEEN r - d AND r + d`, where NaN is equal to itself and above every number. */
  case object Between extends Spelling {
    def float(r: Float, s: Float, d: Float): Boolean =
      atMost((r - d).toDouble, s.toDouble) && atMost(s.toDouble, (r + d).toDouble)
    def double(r: Double, s: Double, d: Double): Boolean = atMost(r - d, s) && atMost(s, r + d)
    private def atMost(a: Double, b: Double): Boolean = java.lang.Double.isNaN(b) || a <= b
  }

  val all: Seq[Spelling] = Seq(Difference, Between)
}

/** Inputs that start at nothing: no tuple, one tuple, equal times, the ends of the types. */
object JoinCases {
  private val times: Gen[Gen[Long]] = Gen.oneOf(
    Gen.const(0L),
    Gen.choose(0L, 12L),
    Gen.choose(-40L, 40L),
    Gen.oneOf(Long.MinValue, Long.MinValue + 1, -1L, 0L, 1L, Long.MaxValue - 1, Long.MaxValue)
  )

  private val timeWindows: Gen[Window] = Gen.oneOf(
    Gen.zip(Gen.choose(-9L, 9L), Gen.choose(0L, 9L)).map { case (a, n) => TimeWindow(a, a + n) },
    Gen.const(TimeWindow(0, 0)),
    Gen.const(TimeWindow.sliding(7, 2)),
    Gen.const(TimeWindow(Long.MinValue, Long.MaxValue)),
    Gen.const(TimeWindow(Long.MinValue, -1)),
    Gen.const(TimeWindow(1, Long.MaxValue)),
    Gen.const(TimeWindow(Long.MinValue, Long.MinValue + 3))
  )

  private val countWindows: Gen[Window] = Gen.oneOf(
    Gen.choose(1L, 6L).map(CountWindow(_)),
    Gen.zip(Gen.choose(0L, 5L), Gen.choose(1L, 5L)).map { case (r, s) => CountWindow(r, s) },
    Gen.choose(1L, 5L).map(CountWindow(_, 0)),
    Gen.const(CountWindow(Long.MaxValue))
  )

  val windows: Gen[Window] = Gen.frequency(7 -> timeWindows, 4 -> countWindows)

  private val ints: Gen[Long] =
    Gen.frequency(
      9 -> Gen.choose(-8L, 8L),
      1 -> Gen.oneOf(Int.MinValue, Int.MaxValue).map(_.toLong)
    )

  private val longs: Gen[Long] =
    Gen.frequency(9 -> Gen.choose(-8L, 8L), 1 -> Gen.oneOf(Long.MinValue, Long.MaxValue))

  val numbers: Gen[Double] = Gen.frequency(
    8 -> Gen.choose(-60, 60).map(_ / 10.0),
    1 -> Gen.oneOf(Double.NaN, 0.0, -0.0, Double.PositiveInfinity, Double.NegativeInfinity)
  )

  /** A band, the values of its attribute, and its exact form where the band is a superset. */
  private type Attribute = (Band, Gen[Long], Option[(Long, Long) => Boolean])

  private def integral(t: AttributeType, values: Gen[Long]): Gen[Attribute] = for {
    lower <- Gen.frequency(9 -> Gen.choose(-4L, 4L), 1 -> Gen.const(Long.MinValue))
    upper <- Gen.frequency(
      9 -> Gen.choose(0L, 5L).map(n => if (lower == Long.MinValue) n else lower + n),
      1 -> Gen.const(Long.MaxValue)
    )
  } yield (IntegralBand(t, lower, upper), values, None)

  private val float: Gen[Attribute] =
    for {
      d <- Gen.oneOf(0.0f, 0.1f, 2.5f)
      spelling <- Gen.oneOf(Spelling.all)
    } yield (
      FloatingBand(AttributeType.Float32, -d.toDouble, d.toDouble),
      numbers.map(n => SortableKey.ofFloat(n.toFloat).toLong),
      Some((r, s) =>
        spelling.float(SortableKey.toFloat(r.toInt), SortableKey.toFloat(s.toInt), d)
      )
    )

  private val double: Gen[Attribute] =
    for {
      d <- Gen.oneOf(0.0, 0.1, 2.5)
      spelling <- Gen.oneOf(Spelling.all)
    } yield (
      FloatingBand(AttributeType.Float64, -d, d),
      numbers.map(SortableKey.ofDouble),
      Some((r, s) => spelling.double(SortableKey.toDouble(r), SortableKey.toDouble(s), d))
    )

  private val attributes: Gen[List[Attribute]] = Gen.choose(0, 3).flatMap { n =>
    Gen.listOfN(
      n,
      Gen.oneOf(
        integral(AttributeType.Int32, ints),
        integral(AttributeType.Int64, longs),
        float,
        double
      )
    )
  }

  private def residual(exact: List[Option[(Long, Long) => Boolean]])
      : Option[() => PairPredicate] =
    if (exact.forall(_.isEmpty)) None
    else
      Some(() =>
        (r: StreamTuple, s: StreamTuple) =>
          exact.zipWithIndex.forall { case (e, i) => e.forall(_.apply(r.attrs(i), s.attrs(i))) }
      )

  private def feed(source: Int, side: Side, time: Gen[Long], attrs: Gen[List[Long]]) =
    for {
      n <- Gen.frequency(1 -> Gen.const(0), 1 -> Gen.const(1), 6 -> Gen.choose(2, 60))
      ts <- Gen.listOfN(n, time)
      values <- Gen.listOfN(n, attrs)
    } yield side -> ts.sorted.zip(values).zipWithIndex.toVector.map { case ((t, a), i) =>
      new StreamTuple(t, source, i.toLong, side, a.toArray, s"$side $source $i")
    }

  /** An equi key of few values, the ends of the type among them. */
  private val key: Gen[Attribute] =
    Gen.const((IntegralBand(AttributeType.Int64, 0, 0), longs, None))

  val cases: Gen[JoinCase] = casesOf(attributes)

  private def keyed = Gen.zip(key, attributes).map { case (k, rest) => k :: rest }

  /** The same joins, some of which go on with what another one held. */
  def begun(cases: Gen[JoinCase]): Gen[JoinCase] = for {
    input <- cases
    from <- Gen.frequency(
      2 -> Gen.const(Long.MinValue),
      1 -> (if (input.tuples.isEmpty) Gen.const(0L) else Gen.oneOf(input.tuples.map(_.ts)))
    )
  } yield input.copy(spec = input.spec.copy(from = from))

  /** Cases whose first band is an equi key. */
  val keyedCases: Gen[JoinCase] = casesOf(keyed)

  /** The same in windows of time alone. */
  val keyedCasesInTime: Gen[JoinCase] = casesOf(keyed, timeWindows)

  private def casesOf(
      attributes: Gen[List[Attribute]],
      windows: Gen[Window] = windows
  ): Gen[JoinCase] = for {
    window <- windows
    time <- times
    columns <- attributes
    attrs = Gen.sequence[List[Long], Long](columns.map(_._2))
    sources <- Gen.choose(1, 5)
    sides <- Gen.listOfN(sources, Gen.oneOf[Side](Side.R, Side.S))
    feeds <- Gen.sequence[Vector[(Side, Vector[StreamTuple])], (Side, Vector[StreamTuple])](
      sides.zipWithIndex.map { case (side, i) => feed(i, side, time, attrs) }
    )
    spec = JoinSpec(window, columns.map(_._1).toVector, residual(columns.map(_._3)))
  } yield JoinCase(spec, feeds)
}
