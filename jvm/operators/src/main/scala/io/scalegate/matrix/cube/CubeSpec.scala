package io.scalegate.matrix.cube

import io.scalegate.band.AttributeType
import io.scalegate.stream.{Side, TimeWindow}

/** What a [[CubeJoin]] joins. A triple of tuples `(r, s, t)`, one of each stream, is a result when
  * each of its three pairs lies in that pair's window and bands, and the residual predicate holds.
  * It does not matter in which order the three come.
  *
  * @param rs
  *   of the pair `(r, s)`, in which R is the first stream
  * @param residual
  *   makes the predicate for one thread; None when windows and bands decide alone
  * @param from
  *   a triple whose latest tuple lies below this time is no result: tuples before it are kept for
  *   later ones, and compared with none. So a join goes on with what another one held
  */
final case class CubeSpec(
    rs: CubePair,
    st: CubePair,
    rt: CubePair,
    residual: Option[() => TriplePredicate] = None,
    from: Long = Long.MinValue
) {
  import CubeSpec._

  /** The same triples, with each window narrowed to what the other two leave of it: a window for
    * `(r, t)` follows from those for `(r, s)` and `(s, t)`. How long a tuple must be kept is exact
    * only then.
    *
    * One round is enough for three streams: the shortest path from one to another is direct or
    * over the third.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the windows exclude each other, so that there can be no result
    */
  def narrowed: CubeSpec = copy(
    rs = narrow(rs, distances(rt.window), reversed(st.window)),
    st = narrow(st, reversed(rs.window), distances(rt.window)),
    rt = narrow(rt, distances(rs.window), distances(st.window))
  )

  /** The types of a stream's attributes, by number; where no band tells, the widest. */
  def attributes(stream: CubeStream): IndexedSeq[AttributeType] = {
    val ends = pairs.flatMap { case (first, second, pair) =>
      pair.bands.flatMap(b => Seq((first, b.first, b), (second, b.second, b)))
    }
    val ofStream = ends.collect { case (`stream`, i, b) => i -> b.band.attribute }
    val types = ofStream.groupMap(_._1)(_._2).view.mapValues(_.distinct).toMap
    for ((i, different) <- types)
      require(
        different.size == 1,
        s"attribute $i of stream $stream is ${different.mkString(" in one band and ")} in another"
      )
    Vector.tabulate(types.keys.maxOption.fold(0)(_ + 1))(i =>
      types.get(i).fold[AttributeType](AttributeType.Int64)(_.head)
    )
  }

  private[matrix] def link(from: CubeStream, to: CubeStream): CubeLink = {
    val links = pairs.collect {
      case (`from`, `to`, pair) => new CubeLink(pair, Side.R, attributes(to).length)
      case (`to`, `from`, pair) => new CubeLink(pair, Side.S, attributes(to).length)
    }
    links.head
  }

  /** Narrows a pair's window by the way over the third stream: first to it, then from it. */
  private[this] def narrow(pair: CubePair, there: Distances, back: Distances): CubePair = {
    val lower = (there._1 + back._1).max(pair.window.lower)
    val upper = (there._2 + back._2).min(pair.window.upper)
    require(
      lower <= upper,
      s"no triple lies in all three windows: (r, s) in ${rs.window}, (s, t) in ${st.window}, " +
        s"(r, t) in ${rt.window}"
    )
    pair.copy(window = TimeWindow(lower.toLong, upper.toLong))
  }

  private[this] def pairs: Seq[(CubeStream, CubeStream, CubePair)] = Seq(
    (CubeStream.R, CubeStream.S, rs),
    (CubeStream.S, CubeStream.T, st),
    (CubeStream.R, CubeStream.T, rt)
  )
}

object CubeSpec {

  /** @param pairs
    *   `(r, s)`, `(s, t)` and `(r, t)`
    */
  def of(pairs: Seq[CubePair]): CubeSpec = pairs match {
    case Seq(rs, st, rt) => CubeSpec(rs, st, rt)
    case others => throw new IllegalArgumentException(s"${others.size} pairs, not three")
  }

  /** The least and the greatest distance. Numbers without end: a window may reach the ends of
    * `Long`, and its reverse is one longer there.
    */
  private type Distances = (BigInt, BigInt)

  private def distances(window: TimeWindow): Distances = (window.lower, window.upper)

  private def reversed(window: TimeWindow): Distances =
    (-BigInt(window.upper), -BigInt(window.lower))
}
