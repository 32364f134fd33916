package io.scalegate.spark.extract

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

/** Finds the bounded differences in the conjuncts of a join's condition.
  *
  * It recognises a comparison of any two expressions that are linear over the two inputs, and the absolute
  * value of one: `BETWEEN`, two inequalities in any order and on either side, strict or not, arithmetic on
  * numbers, dates and timestamps, `abs(a - b) <= c`. Every pair that the conjuncts accept lies within the
  * bounds; the reverse holds where `exact` says so.
  */
final class BoundExtractor(left: AttributeSet, right: AttributeSet) {
  import BoundExtractor._

  private[this] val linear = new LinearForm(left, right)

  /** The bounded differences, and the conjuncts that must still be evaluated on every candidate. */
  def extract(conjuncts: Seq[Expression]): (Seq[BoundedDifference], Seq[Expression]) = {
    val bounds = conjuncts.flatMap(c => boundsOf(c).map(c -> _))
    val grouped = bounds.groupBy { case (_, b) => b.key }.values.toSeq
      .map(_.map(_._2))
      .flatMap(combine)
    val ordered = grouped.sortBy(d => bounds.indexWhere(_._2.key == keyOf(d)))
    val exactKeys = ordered.filter(_.exact).map(keyOf).toSet
    val residual = conjuncts.filterNot { c =>
      val own = boundsOf(c)
      own.nonEmpty && own.forall(b => b.exact && exactKeys(b.key))
    }
    (ordered, residual)
  }

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
          x <- linear.of(inside).toSeq
          c <- linear.of(b).toSeq
          form <- Seq(x.plus(c.negate), x.negate.plus(c.negate)).flatten
          bound <- toBound(form, strict, a.dataType, NanRejected)
        } yield bound
        if (bounds.size == 2) bounds else Nil
      case _ =>
        val form = for {
          x <- linear.of(a)
          y <- linear.of(b)
          if !isFloating(a.dataType) || !(isArithmetic(a) && isArithmetic(b))
          d <- x.plus(y.negate)
        } yield d
        form.flatMap(toBound(_, strict, a.dataType, nansOf(a, b))).toSeq
    }

  /** What a comparison `a <= b` says of NaN, which Spark holds to be larger than every number: a
    * difference of the two inputs that is NaN passes on the right and fails on the left.
    */
  private[this] def nansOf(a: Expression, b: Expression): NanRule = {
    def crosses(e: Expression) =
      e.references.exists(left.contains) && e.references.exists(right.contains)
    if (crosses(a)) NanRejected else if (crosses(b)) NanPasses else NanMeetsNan
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
      lt <- TermType.of(l.expression.dataType)
      rt <- TermType.of(r.expression.dataType)
      t <- TermType.common(lt, rt)
    } yield {
      val floating = t.family == "floating"
      val scale = BigDecimal(form.scale)
      val limit = -form.low / scale // ±(left − right) may not exceed this
      val whole = if (floating) limit else integral(-form.low, scale, strict, t.scale)
      val exact = form.exact && !floating && !isFloating(comparedAs)
      if (r.positive) Bound(l.expression, r.expression, t, None, Some(whole), exact, nans)
      else Bound(l.expression, r.expression, t, Some(-whole), None, exact, nans)
    }

  private[this] def combine(bounds: Seq[Bound]): Option[BoundedDifference] = {
    val lowers = bounds.flatMap(_.lower)
    val uppers = bounds.flatMap(_.upper)
    if (lowers.isEmpty || uppers.isEmpty || letsNansThrough(bounds)) None
    else {
      val b = bounds.head
      val exact = bounds.forall(_.exact)
      Some(BoundedDifference(b.left, b.right, lowers.max, uppers.min, b.termType, exact))
    }
  }
}

object BoundExtractor {

  /** Which pairs with a NaN a comparison accepts: none, only NaN with NaN, or others too. */
  sealed private trait NanRule
  private case object NanRejected extends NanRule
  private case object NanMeetsNan extends NanRule
  private case object NanPasses extends NanRule

  /** A range on the number line holds NaN only next to NaN. */
  private def letsNansThrough(bounds: Seq[Bound]): Boolean =
    bounds.head.termType.family == "floating" &&
      bounds.exists(_.nans == NanPasses) && !bounds.exists(_.nans == NanRejected)

  private type Key = (Expression, Expression)

  final private case class Bound(
      left: Expression,
      right: Expression,
      termType: TermType,
      lower: Option[BigDecimal],
      upper: Option[BigDecimal],
      exact: Boolean,
      nans: NanRule
  ) {
    def key: Key = (left.canonicalized, right.canonicalized)
  }

  private def keyOf(d: BoundedDifference): Key = (d.left.canonicalized, d.right.canonicalized)

  private def isFloating(t: DataType): Boolean = t == FloatType || t == DoubleType

  private def isArithmetic(e: Expression): Boolean = LinearForm.isArithmetic(e)

  private def absolute(e: Expression): Option[Expression] = e match {
    case Abs(inside, failOnError) if failOnError || !LinearForm.mayWrap(e.dataType) =>
      Some(inside)
    case c: Cast if LinearForm.keepsValue(c.child.dataType, c.dataType) => absolute(c.child)
    case _ => None
  }

  /** The largest number with so many digits behind the point that is at most (or, if strict, below) `numerator / scale`. */
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
