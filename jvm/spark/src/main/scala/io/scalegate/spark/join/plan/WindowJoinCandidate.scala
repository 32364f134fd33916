package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  Expression,
  Literal,
  PredicateHelper,
  RowOrdering
}
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.FullOuter
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DecimalType

import io.scalegate.band.IntegralBand
import io.scalegate.partition.MatrixLayout
import io.scalegate.spark.bounds.{
  BoundExtractor,
  BoundText,
  BoundedDifference,
  MayThrow,
  TermType,
  TwoInequalities
}
import io.scalegate.spark.join.hint.WindowJoinRequested
import io.scalegate.spark.join.operator.OperatorWindow
import io.scalegate.spark.join.{IndexTerms, KeyBound, Probing}
import io.scalegate.spark.plan.{BothStreaming, KeyLayout}
import io.scalegate.spark.rows.IndexBy
import io.scalegate.spark.settings.{Algorithm, Errors, ScaleGateConf}
import io.scalegate.stream.Sides

/** What the planner knows of one join of any inputs. Optimizer rules and strategies make one when they ask, and keep
  * none; one thread.
  */
final class WindowJoinCandidate(val join: Join) extends PredicateHelper {
  val inputs: Sides[LogicalPlan] = Sides(join.left, join.right)

  private[this] val all = join.condition.toSeq.flatMap(splitConjunctivePredicates)
  private[this] val asked = all.collect { case r: WindowJoinRequested => r }
  private[this] val bare = all.filterNot(_.isInstanceOf[WindowJoinRequested])

  private[this] val (equiLeft, equiRight, others) = {
    val rest = bare.reduceOption(And.apply)
    ExtractEquiJoinKeys.unapply(join.copy(condition = rest)) match {
      case Some((_, l, r, other, _, _, _, _)) => (l, r, other.toSeq)
      case None => (Nil, Nil, rest.toSeq)
    }
  }

  /** Of the condition, without the keys. */
  val conjuncts: Seq[Expression] = others.flatMap(splitConjunctivePredicates)

  /** The keys in the order in which an input at rest lies by them, if one does. */
  val (leftKeys: Seq[Expression], rightKeys: Seq[Expression]) = {
    val order =
      if (equiLeft.size < 2 || join.isStreaming) equiLeft.indices
      else KeyLayout.orderOf(join.left, equiLeft, join.right, equiRight)
    (order.map(equiLeft), order.map(equiRight))
  }

  /** Whether Spark is to meet each error of the condition, as only a join does that bounds nothing. */
  private[this] def raises: Boolean =
    ScaleGateConf.ansiErrors(SQLConf.get) && conjuncts.exists(MayThrow(_))

  private[this] val extracted =
    if (raises) (Nil, conjuncts)
    else new BoundExtractor(join.left.outputSet, join.right.outputSet).extract(conjuncts)

  val differences: Seq[BoundedDifference] = extracted._1
  val residual: Option[Expression] = extracted._2.reduceOption(And.apply)

  /** What hints ask for. Nothing where one was given to a window of which constants have left keys alone: a time of one
    * side that is the same in all rows bounds the other side's rows, not their differences. Such a join is Spark's.
    */
  private[this] val requests = {
    val keysAlone = leftKeys.nonEmpty && !conjuncts.exists { c =>
      Seq(join.left, join.right).forall(_.outputSet.exists(c.references.contains))
    }
    asked.filterNot(_.isWindowed && keysAlone)
  }

  /** Of a join that has no bounded difference. */
  lazy val inequalities: Option[TwoInequalities] =
    if (differences.nonEmpty || raises) None
    else
      TwoInequalities.in(
        conjuncts,
        join.left.outputSet,
        join.right.outputSet,
        any = leftKeys.isEmpty || isRequested
      )

  /** The equality keys as a bound, if there are any and they can be one. */
  lazy val key: Option[KeyBound] =
    if (leftKeys.isEmpty) None else KeyBound.from(leftKeys, rightKeys)

  /** What an index of one side's rows is asked for. */
  def indexTerms: IndexTerms = {
    val terms = inequalities match {
      case Some(two) =>
        IndexTerms(two.left, two.right, IndexBy.Compared(two.types, two.compared), residual)
      case None if differences.isEmpty =>
        val same = Seq(Literal(0))
        val band = IntegralBand(TermType.IntTerm.attribute, 0, 0)
        IndexTerms(same, same, IndexBy.Bands(Vector(band)), residual)
      case None => termsOf(sweep +: bands)
    }
    withinKey(terms)
  }

  private[this] def withinKey(terms: IndexTerms): IndexTerms = key.fold(terms)(terms.within)

  /** The same within cells, whose ids these columns have. */
  def indexTermsInCells(leftCell: Expression, rightCell: Expression): IndexTerms =
    indexTerms.within(
      KeyBound(leftCell, rightCell, IntegralBand(TermType.LongTerm.attribute, 0, 0), None)
    )

  /** What a sweep goes by: the attribute that the window slides along comes first.
    *
    * @param inCells
    *   whether rows meet in cells, so that equality keys are a bound like any other
    */
  def sweepTerms(inCells: Boolean): IndexTerms = {
    val (first, others) = (termsOf(Seq(sweep)), termsOf(bands))
    val rest = key.filter(_ => inCells).fold(others)(others.within)
    IndexTerms(
      first.left ++ rest.left,
      first.right ++ rest.right,
      IndexBy.Bands(first.by.bands ++ rest.by.bands),
      rest.residual
    )
  }

  private[this] def termsOf(bounds: Seq[BoundedDifference]) = IndexTerms(
    bounds.map(_.storedLeft),
    bounds.map(_.storedRight),
    IndexBy.Bands(bounds.map(_.band).toVector),
    residual
  )

  /** Whether a bound keeps rows apart. */
  def isBounded: Boolean = differences.nonEmpty || inequalities.nonEmpty

  /** Why every row must meet every other, where neither a key nor a bound keeps them apart. */
  lazy val unbounded: Option[String] =
    if (leftKeys.nonEmpty || isBounded) None
    else if (unreadable.isEmpty) Some("nothing is bounded")
    else Some(s"nothing is bounded that can be read: ${unreadable.mkString(", ")}")

  /** The columns of the condition that no bound can lie on. */
  private[this] def unreadable: Seq[String] = bare
    .flatMap { conjunct =>
      val columns = conjunct.references.toSeq
      columns.filter(a => TermType.from(a.dataType).isEmpty) ++ ofTooManyDigits(columns)
    }
    .map(a => s"${a.name} is ${a.dataType.sql}")
    .distinct

  /** Decimals, and integers beside them, that have no number of digits in common that 64 bits hold. */
  private[this] def ofTooManyDigits(columns: Seq[Attribute]): Seq[Attribute] = {
    val numbers = columns.filter { a =>
      a.dataType.isInstanceOf[DecimalType] ||
      TermType.from(a.dataType).exists(_.family == TermType.LongTerm.family)
    }
    if (numbers.isEmpty || TermType.common(numbers.map(_.dataType)).nonEmpty) Nil else numbers
  }

  /** All of the condition, without the keys. */
  def condition: Option[Expression] = others.reduceOption(And.apply)

  /** The attribute that the window slides along: time, where there is one. */
  lazy val sweep: BoundedDifference =
    differences.minBy(d => TermType.sweepRank(d.termType))

  lazy val bands: Seq[BoundedDifference] = differences.filterNot(_ eq sweep)

  /** The window of an operator that a hint names; None where the condition bounds nothing that one can lie on. */
  def operatorWindow: Option[OperatorWindow] =
    if (differences.isEmpty) None else OperatorWindow.from(sweep)

  /** What an operator tests within its window. */
  def operatorTerms: IndexTerms = withinKey(termsOf(bands))

  def plannable: Boolean = isRun && isPlain

  /** The condition without what a hint says. */
  def bareCondition: Option[Expression] = bare.reduceOption(And.apply)

  /** Why it is no join of this package's, whatever it bounds. */
  def notPlannable: Option[String] =
    if (!isHintFree)
      Some(s"it carries a hint of Spark's own (${join.hint})")
    else
      all
        .find(!_.deterministic)
        .map(c => s"its condition may give another answer each time: ${c.sql}")
        .orElse(leftKeys.find(k => !RowOrdering.isOrderable(k.dataType)).map(k =>
          s"its key ${k.sql} is of type ${k.dataType.sql}, which has no order"
        ))
        .orElse(Option.when(!isRun)(
          whole.getOrElse(s"this package runs no ${join.joinType.sql} join without a key")
        ))

  /** Whether a full join is one that is run as two joins, if not as one. */
  def isRunWhereSplit: Boolean = isPlain && (isBounded || isRequested && leftKeys.isEmpty)

  /** Whether it is a join of two streams, which has a state and another node. A stream beside a table is joined batch by
    * batch, as a table is.
    */
  def isOfStreams: Boolean = BothStreaming(join.left, join.right)

  private[this] def isPlain: Boolean = {
    val keysSortable = leftKeys.forall(k => RowOrdering.isOrderable(k.dataType))
    !isOfStreams && isHintFree && keysSortable && all.forall(_.deterministic)
  }

  /** Whether no hint of Spark's own says how it is run. Adaptive execution gives hints, too, where it finds many empty
    * partitions or small ones: they tell Spark's joins apart.
    */
  private[this] def isHintFree: Boolean = requests.nonEmpty ||
    (join.hint.leftHint ++ join.hint.rightHint)
      .flatMap(_.strategy)
      .forall(hint => WindowJoinCandidate.Adaptive(hint.displayName))

  /** The algorithm that a hint names. */
  def requested: Option[(Algorithm, String)] =
    requests.headOption.flatMap(_.options.requested).map(_ -> "as hinted")

  /** The layout of the matrix that a hint names. */
  def layout: Option[MatrixLayout] = requests.headOption.flatMap(_.options.layout)

  /** Whether a hint asks for the rows in the order of their times. */
  def isOrdered: Boolean = requests.exists(_.options.ordered)

  /** Whether a hint asks for the join to be run here, however. */
  def isRequested: Boolean = requests.nonEmpty

  /** A hint or a marker that cannot be honoured is an error, not a slower plan. */
  def refuseWhatWasAskedFor(): Unit = {
    if (isOrdered) throw Errors.orderedBatch
    if (requests.nonEmpty && !isRun)
      throw whole.fold(Errors.hintJoinType(join.joinType.sql))(Errors.hintFullJoin)
    if (requests.nonEmpty && leftKeys.nonEmpty && raises)
      throw Errors.hintAnsiErrors(bare.map(_.sql).mkString(" AND "))
    if (requests.nonEmpty && leftKeys.nonEmpty && !isBounded)
      throw Errors.hintWithoutWindow(bare.map(_.sql).mkString(" AND "), unreadable)
  }

  /** Why a full join was not made two. */
  private[this] def whole: Option[String] =
    if (join.joinType == FullOuter) SplitFullJoin.obstacle(join) else None

  /** A full join is decided where the equality keys bring all matches of a row together. */
  private[this] def isRun: Boolean =
    Probing.from(join.joinType).exists(!_.unfound || leftKeys.nonEmpty)

  /** What EXPLAIN shows.
    *
    * @param rows
    *   the window, where it is one that counts rows and no bound of the condition
    */
  def describe(algorithm: String, rows: Option[String] = None): String = {
    val keys = leftKeys.zip(rightKeys).map { case (l, r) => s"${l.sql} = ${r.sql}" }
    val parts = Seq(
      SplitFullJoin.describe(join),
      if (keys.nonEmpty) Some(s"keys: ${keys.mkString(", ")}") else None,
      rows
        .orElse(inequalities.map(_.describe))
        .orElse(differences.headOption.map(_ => sweep.shown))
        .map(w => s"window: $w"),
      Some(if (rows.isEmpty && differences.nonEmpty) bands else differences)
        .filter(_.nonEmpty)
        .map(_.map(_.shown).mkString("bands: ", ", ", "")),
      residual.map(r => s"residual: ${r.sql}"),
      Some(s"algorithm: $algorithm")
    )
    BoundText.withoutOwnNames(parts.flatten.mkString("; "))
  }
}

private object WindowJoinCandidate {

  /** The hints that adaptive execution gives, as they are called: not every version of Spark has each. */
  private val Adaptive = Set("no_broadcast_hash", "prefer_shuffle_hash")
}
