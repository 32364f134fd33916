package io.scalegate.spark.join.cube

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  AttributeSet,
  EqualTo,
  Expression,
  IsNotNull,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, Filter, LogicalPlan}

import io.scalegate.matrix.cube.{CubeBand, CubePair, CubeSpec}
import io.scalegate.spark.bounds.{BoundExtractor, BoundedDifference, DifferenceRange, TermType}
import io.scalegate.spark.join.operator.OperatorWindow
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.{SaturatingMath, TimeWindow}

/** What a [[CubeJoin]] goes by, read off its condition.
  *
  * @param times
  *   of each input, as 64-bit numbers
  * @param bounded
  *   the banded attributes of each input, in the types that the core stores
  * @param pairs
  *   of the first input and the second, the second and the third, the first and the third
  * @param residual
  *   what windows and bands do not say of the condition
  * @param shown
  *   windows and bands, as EXPLAIN shows them
  */
final private[join] case class CubeTerms(
    times: Seq[Expression],
    bounded: Seq[Seq[Expression]],
    pairs: Seq[CubePair],
    residual: Option[Expression],
    shown: Seq[String]
) {

  /** Whether any triple lies in all windows. */
  def isPossible: Boolean = narrowed.nonEmpty

  /** How far apart the times of two rows of a triple may be. */
  def reach: Long = {
    val windows = narrowed.toSeq.flatMap(s => Seq(s.rs, s.st, s.rt)).map(_.window)
    windows.flatMap(w => Seq(w.upper, SaturatingMath.subtract(0, w.lower))).foldLeft(0L)(_ max _)
  }

  /** The inputs without rows whose time or banded attribute is NULL, which match nothing. */
  def presentIn(inputs: Seq[LogicalPlan]): Seq[LogicalPlan] =
    inputs.zip(times.zip(bounded)).map { case (input, (time, others)) =>
      (time +: others).filter(_.nullable).map(IsNotNull(_): Expression).reduceOption(And.apply)
        .fold(input)(Filter(_, input))
    }

  private[this] def narrowed: Option[CubeSpec] =
    try Some(CubeSpec.of(pairs).narrowed)
    catch { case _: IllegalArgumentException => None }
}

private[join] object CubeTerms extends PredicateHelper {

  /** A bound between two inputs, by their numbers. */
  final private case class Bound(from: Int, to: Int, by: BoundedDifference) {
    def of(input: Int): Expression = if (input == from) by.storedLeft else by.storedRight
    def has(input: Int): Boolean = input == from || input == to
  }

  private val Pairs = Seq((0, 1), (1, 2), (0, 2))
  private val Unbounded = TimeWindow(Long.MinValue, Long.MaxValue)

  /** None where nothing matches.
    *
    * @throws java.lang.IllegalArgumentException
    *   if no bounds on time hold the three together
    */
  def from(join: CubeJoin): Option[CubeTerms] = {
    val conjuncts = splitConjunctivePredicates(join.condition)
    val inputs = join.children.map(_.outputSet)
    val read = Pairs.map { case (i, j) =>
      val both = inputs(i) ++ inputs(j)
      val own = conjuncts.filter(c =>
        c.references.subsetOf(both) && !inputs.exists(c.references.subsetOf)
      )
      val equal = own.flatMap(c => equality(c, inputs(i), inputs(j)).map(c -> _))
      val (bounds, left) = new BoundExtractor(inputs(i), inputs(j)).extract(own)
      val said = own.filter(c => !left.contains(c) || equal.exists(_._1 eq c))
      ((bounds ++ equal.map(_._2)).map(Bound(i, j, _)), said)
    }
    val bounds = read.flatMap(_._1)
    if (bounds.exists(_.by.isEmpty)) None
    else {
      val times = timesOf(bounds).getOrElse(throw Errors.cubeTimes)
      val said = read.flatMap(_._2)
      Some(made(bounds, times, conjuncts.filterNot(said.contains))).filter(_.isPossible)
    }
  }

  /** Equal values are a bound of width zero. */
  private[this] def equality(
      condition: Expression,
      left: AttributeSet,
      right: AttributeSet
  ): Option[BoundedDifference] = {
    val sides = condition match {
      case EqualTo(a, b) if a.references.subsetOf(left) => Some((a, b))
      case EqualTo(a, b) => Some((b, a))
      case _ => None
    }
    for {
      (l, r) <- sides
      if l.references.subsetOf(left) && r.references.subsetOf(right) && l.dataType == r.dataType
      of <- TermType.from(l.dataType)
      if of.family != "floating"
    } yield BoundedDifference(l, r, of, DifferenceRange(0, 0), exact = true)
  }

  private[this] def hasWatermark(time: Expression) = time match {
    case a: Attribute => a.metadata.contains(EventTimeWatermark.delayKey)
    case _ => false
  }

  private[this] def isTime(b: Bound) = OperatorWindow.from(b.by).nonEmpty

  /** The times by two of whose bounds all three inputs hang together: those that have watermarks first, then those that are
    * timestamps.
    */
  private[this] def timesOf(bounds: Seq[Bound]): Option[Seq[Expression]] = {
    val usable = bounds.filter(isTime).sortBy { b =>
      (!Seq(b.by.left, b.by.right).forall(hasWatermark), TermType.sweepRank(b.by.termType))
    }
    val chains = for {
      a <- usable
      b <- usable
      if (a.from, a.to) != (b.from, b.to)
      shared <- Seq(0, 1, 2).filter(i => a.has(i) && b.has(i))
      if a.of(shared).semanticEquals(b.of(shared))
    } yield Seq(0, 1, 2).map(i => if (a.has(i)) a.of(i) else b.of(i))
    chains.headOption
  }

  private[this] def made(
      bounds: Seq[Bound],
      times: Seq[Expression],
      residual: Seq[Expression]
  ): CubeTerms = {
    val attributes = Vector.fill(3)(mutable.ArrayBuffer.empty[Expression])
    def attribute(input: Int, e: Expression): Int = {
      val at = attributes(input).indexWhere(_.semanticEquals(e))
      if (at >= 0) at
      else {
        attributes(input) += e
        attributes(input).size - 1
      }
    }
    def isWindow(b: Bound) =
      isTime(b) && Seq(b.from, b.to).forall(i => b.of(i).semanticEquals(times(i)))
    val windows = Pairs.map { case (i, j) =>
      bounds.find(b => b.from == i && b.to == j && isWindow(b))
    }
    val bands = bounds.filterNot(windows.flatten.contains)
    val pairs = Pairs.zip(windows).map { case ((i, j), window) =>
      CubePair(
        window.flatMap(b => OperatorWindow.from(b.by))
          .fold(Unbounded)(w => TimeWindow(w.lower, w.upper)),
        bands.filter(b => b.from == i && b.to == j)
          .map(b => CubeBand(attribute(i, b.of(i)), attribute(j, b.of(j)), b.by.band)).toVector
      )
    }
    CubeTerms(
      times.map(OperatorWindow.asLong),
      attributes.map(_.toSeq),
      pairs,
      residual.reduceOption(And.apply),
      Seq("windows" -> windows.flatten, "bands" -> bands)
        .collect {
          case (name, of) if of.nonEmpty => s"$name: ${of.map(_.by.shown).mkString(", ")}"
        }
    )
  }
}
