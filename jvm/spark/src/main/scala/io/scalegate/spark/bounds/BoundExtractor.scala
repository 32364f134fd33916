package io.scalegate.spark.bounds

import scala.math.BigDecimal.RoundingMode

import org.apache.spark.sql.catalyst.expressions.{
  Abs,
  AttributeSet,
  Cast,
  Expression,
  GreaterThan,
  GreaterThanOrEqual,
  LessThan,
  LessThanOrEqual
}
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

import io.scalegate.band.Rounding

/** Finds the bounded differences in the conjuncts of a join's condition.
  *
  * It recognises a comparison of any two expressions that are linear over the two inputs, and the absolute value of
  * one: `BETWEEN`, two inequalities in any order and on either side, strict or not, arithmetic on numbers, dates and
  * timestamps, `abs(a - b) <= c`.
  *
  * The planner makes one for each condition that it looks at. Every pair that the conjuncts accept lies within the
  * bounds. Not every pair within the bounds is accepted, unless `exact` says so.
  */
final class BoundExtractor(left: AttributeSet, right: AttributeSet) {
  import BoundExtractor._

  private[this] val linear = new LinearForm(left, right)

  /** The bounded differences, and the conjuncts that must still be evaluated on every candidate. */
  def extract(conjuncts: Seq[Expression]): (Seq[BoundedDifference], Seq[Expression]) = {
    val bounds = conjuncts.flatMap(c => boundsOf(c).map(c -> _))
    val grouped = bounds.groupBy { case (_, b) => b.key }.values.toSeq.flatMap { some =>
      combine(some.map(_._2)).map(_.copy(moved = movedDates(some)))
    }
    val ordered = grouped.sortBy(d => bounds.indexWhere(_._2.key == keyOf(d)))
    val exactKeys = ordered.filter(_.exact).map(keyOf).toSet
    val residual = conjuncts.filterNot { c =>
      val own = boundsOf(c)
      own.nonEmpty && own.forall(b => b.exact && exactKeys(b.key))
    }
    (ordered, residual)
  }

  /** What each conjunct alone says of a difference, from one side. */
  def limits(conjuncts: Seq[Expression]): Seq[DifferenceLimit] =
    for (c <- conjuncts; b <- boundsOf(c) if b.isStraight && b.termType.family != "floating")
      yield DifferenceLimit(b.left, b.right, b.termType, b.lower, b.upper)

  private[this] def boundsOf(conjunct: Expression): Seq[Bound] = conjunct match {
    case LessThanOrEqual(a, b) => atMost(a, b, strict = false)
    case LessThan(a, b) => atMost(a, b, strict = true)
    case GreaterThanOrEqual(a, b) => atMost(b, a, strict = false)
    case GreaterThan(a, b) => atMost(b, a, strict = true)
    case _ => Nil
  }

  private[this] def atMost(a: Expression, b: Expression, strict: Boolean): Seq[Bound] =
    (absolute(a), b) match {
      case (Some(inside), _) if b.foldable =>
        val bounds = for {
          x <- linear.formOf(inside).toSeq
          c <- linear.formOf(b).toSeq
          form <- Seq(x.plus(c.negate), x.negate.plus(c.negate)).flatten
          bound <- toBound(form, strict, a.dataType, NanRejected)
        } yield bound
        if (bounds.size == 2) bounds else Nil
      case _ =>
        val form = for {
          x <- linear.formOf(a)
          y <- linear.formOf(b)
          d <- x.plus(y.negate)
        } yield d
        form.flatMap(toBound(_, strict, a.dataType, nansOf(a, b))).toSeq
    }

  private[this] def absolute(e: Expression): Option[Expression] = e match {
    case Abs(inside, failOnError) =>
      Some(inside).filter { i =>
        failOnError || !LinearForm.mayWrap(e.dataType) ||
        linear.formOf(i).exists(form => linear.holds(e.dataType, form.negate))
      }
    case c: Cast if LinearForm.keepsValue(c.child.dataType, c.dataType) => absolute(c.child)
    case _ => None
  }

  /** What a comparison `a <= b` says of NaN, which Spark holds to be larger than every number, negated or not: what
    * is NaN passes on the right, and fails on the left unless it meets NaN.
    */
  private[this] def nansOf(a: Expression, b: Expression): NanRule = {
    def isOver(e: Expression, side: AttributeSet) = e.references.exists(side.contains)
    def crosses(e: Expression) = isOver(e, left) && isOver(e, right)
    if (crosses(a)) NanRejected
    else if (crosses(b)) NanPasses
    else if (isOver(a, left)) LeftNanRejected
    else RightNanRejected
  }

  /** `form <= 0`, or `form < 0`, as a bound on right − left. */
  private[this] def toBound(
      form: Linear,
      strict: Boolean,
      comparedAs: DataType,
      nans: NanRule
  ): Option[Bound] =
    for {
      l <- form.left
      r <- form.right
      if l.positive != r.positive
      lt <- TermType.from(l.expression.dataType)
      rt <- TermType.from(r.expression.dataType)
      t <- TermType.common(lt, rt)
      floating = t.family == "floating"
      read <- if (floating) Some(form) else widened(form, l, r)
    } yield {
      val scale = BigDecimal(read.scale)
      val limit = -read.offset.low / scale // ±(left − right) may not exceed this
      val whole = if (floating) limit else integral(-read.offset.low, scale, strict, t.scale)
      val exact = read.offset.exact && read.wraps.isNone && !floating && !isFloating(comparedAs)
      val (lower, upper) = if (r.positive) (None, Some(whole)) else (Some(-whole), None)
      Bound(t, lower, upper, exact, nans, read)
    }

  /** The form of whole numbers whose value Spark rounds: these are not so large that the error is not known. */
  private[this] def widened(form: Linear, l: Term, r: Term): Option[Linear] =
    if (form.rounding.isNone) Some(form)
    else
      for {
        x <- LinearForm.magnitude(l.expression.dataType)
        y <- LinearForm.magnitude(r.expression.dataType)
        Rounding(relative, absolute, reach, largest) = form.rounding
        if BigDecimal(reach) + x + y < BigDecimal(largest) / 2
        // Twice what the errors come to, for they are reckoned in floating point themselves.
        slack = (BigDecimal(relative) * (x + y) + BigDecimal(absolute)) * 2
      } yield form.widen(slack).copy(rounding = Rounding.None)

  /** What the bounds of two attributes say together: of those that hold where dates wrap around, too. */
  private[this] def combine(bounds: Seq[Bound]): Option[BoundedDifference] =
    if (letsNansThrough(bounds)) None
    else {
      def between(some: Seq[Bound], circular: Boolean) = {
        val (lowers, uppers) = (some.flatMap(_.lower), some.flatMap(_.upper))
        if (lowers.isEmpty || uppers.isEmpty) None
        else {
          val b = bounds.head
          val rounding = some.map(_.form.rounding).reduce(_ or _)
          val exact = some.forall(_.exact)
          val (least, most) = (lowers.max, uppers.min)
          Some(
            BoundedDifference(
              b.left,
              b.right,
              b.termType,
              DifferenceRange(least, most, rounding, circular),
              exact
            )
          ).filter(d => rounding.relative <= Rounding.MostRelative && d.isRepresentable)
        }
      }
      def on(circle: Linear.Circle) = bounds.filter(_.form.wraps.circle.contains(circle))
      val ways = Iterator(
        () => between(bounds.filter(_.isStraight), circular = false),
        () => between(on(Linear.RightLessLeft), circular = true),
        () => between(on(Linear.LeftLessRight), circular = true),
        () => between(shiftedAlike(bounds, _.form.wraps.rightDays), circular = true),
        () => between(shiftedAlike(bounds, _.form.wraps.leftDays), circular = true)
      )
      ways.flatMap(_.apply()).nextOption()
    }

  /** What two comparisons say of dates, if nothing but a left date is moved in them. */
  private[this] def movedDates(bounds: Seq[(Expression, Bound)]): Option[MovedDates] = {
    def isMoved(b: Bound) = b.form.offset.exact && b.termType == TermType.DateTerm &&
      b.form.scale == 1 && b.form.wraps.rightDays == 0 && b.form.wraps.circle.isEmpty
    bounds.sortBy(_._2.lower.isEmpty) match {
      case Seq((start, first), (end, last))
          if first.lower.nonEmpty && last.upper.nonEmpty && isMoved(first) && isMoved(last) &&
            first.moved <= last.moved =>
        Some(MovedDates(first.moved.toLong, last.moved.toLong, Seq(start, end)))
      case _ => None
    }
  }

  /** Bounds in which the dates of one side at most are moved, and wrap around. Where one of two bounds has wrapped,
    * there is nothing between them, if the lower one is not moved farther up than the upper one.
    *
    * @param others
    *   the days by which the other side's are moved
    */
  private[this] def shiftedAlike(bounds: Seq[Bound], others: Bound => BigDecimal): Seq[Bound] = {
    val some = bounds.filter(b => b.form.wraps.circle.isEmpty && others(b) == 0)
    val (lowers, uppers) = (some.filter(_.lower.nonEmpty), some.filter(_.upper.nonEmpty))
    val isOrdered =
      lowers.forall(l => uppers.forall(u => l.moved <= u.moved && l.lower.get <= u.upper.get))
    val isDates = some.forall(_.termType == TermType.DateTerm)
    if (isOrdered && isDates) some else Nil
  }
}

object BoundExtractor {

  /** Which pairs of a NaN with a number a comparison rejects: all, none, or where it is the left input's or the right
    * one's.
    */
  sealed private trait NanRule
  private case object NanRejected extends NanRule
  private case object NanPasses extends NanRule
  private case object LeftNanRejected extends NanRule
  private case object RightNanRejected extends NanRule

  /** A range on the number line holds NaN only next to NaN: so other pairs with a NaN must be rejected. */
  private def letsNansThrough(bounds: Seq[Bound]): Boolean = {
    def are(rule: NanRule) = bounds.exists(_.nans == rule)
    bounds.head.termType.family == "floating" &&
    !are(NanRejected) && !(are(LeftNanRejected) && are(RightNanRejected))
  }

  private type Key = (Expression, Expression)

  /** A bound that one conjunct sets.
    *
    * @param form
    *   of a difference of two terms
    */
  final private case class Bound(
      termType: TermType,
      lower: Option[BigDecimal],
      upper: Option[BigDecimal],
      exact: Boolean,
      nans: NanRule,
      form: Linear
  ) {
    def left: Expression = form.left.get.expression
    def right: Expression = form.right.get.expression

    def key: Key = (left.canonicalized, right.canonicalized)

    /** Whether what wraps around in it does so for pairs that do not pass: the form may not be less than it seems. */
    def isStraight: Boolean =
      form.wraps.circle.isEmpty && form.wraps.leftDays <= 0 && form.wraps.rightDays <= 0

    /** By how many days the bound is moved in 32 bits. */
    def moved: BigDecimal = {
      val days = form.wraps.leftDays + form.wraps.rightDays
      if (lower.nonEmpty) days else -days
    }
  }

  private def keyOf(d: BoundedDifference): Key = (d.left.canonicalized, d.right.canonicalized)

  private def isFloating(t: DataType): Boolean = t == FloatType || t == DoubleType

  /** The largest number with so many digits behind the point that is at most (or, if strict, below) `numerator /
    * scale`.
    */
  private def integral(
      numerator: BigDecimal,
      scale: BigDecimal,
      strict: Boolean,
      digits: Int
  ): BigDecimal = {
    val units = BigDecimal(numerator.bigDecimal.movePointRight(digits))
    val floor = (units / scale).setScale(0, RoundingMode.FLOOR)
    val whole = if (strict && floor * scale == units) floor - 1 else floor
    BigDecimal(whole.bigDecimal.movePointLeft(digits))
  }
}
