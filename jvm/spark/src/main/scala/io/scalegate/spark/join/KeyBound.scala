package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{
  And,
  EqualTo,
  Expression,
  If,
  IsNotNull,
  Literal,
  XxHash64
}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types.LongType

import io.scalegate.band.{Band, IntegralBand}
import io.scalegate.spark.bounds.TermType
import io.scalegate.spark.rows.NodeTerms

/** Equal keys as one more bounded difference, of width zero, for an index that knows of nothing else.
  *
  * @param left
  *   NULL where a key is
  * @param residual
  *   what the bound leaves open: whether keys are equal that have the same hash
  */
final case class KeyBound(
    left: Expression,
    right: Expression,
    band: Band,
    residual: Option[Expression]
) extends NodeTerms {

  /** Whether unequal keys may have equal values of the bound: rows of several keys lie together. */
  def isByHash: Boolean = residual.nonEmpty

  override def children: Seq[Expression] = Seq(left, right) ++ residual

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): KeyBound = {
    val changes = new NodeTerms.Changed(changed)
    copy(changes.one, changes.one, band, changes.in(residual))
  }
}

object KeyBound {

  /** None for keys that may be equal without being the same bytes. */
  def from(left: Seq[Expression], right: Seq[Expression]): Option[KeyBound] =
    if (!(left ++ right).forall(k => UnsafeRowUtils.isBinaryStable(k.dataType))) None
    else
      integral(left, right).orElse {
        val equal = left.zip(right).map { case (l, r) => EqualTo(l, r) }
        val band = IntegralBand(TermType.LongTerm.attribute, 0, 0)
        Some(KeyBound(hash(left), hash(right), band, equal.reduceOption(And.apply)))
      }

  private[this] def integral(left: Seq[Expression], right: Seq[Expression]): Option[KeyBound] =
    for {
      l <- left.headOption if left.length == 1
      r <- right.headOption if l.dataType == r.dataType
      t <- TermType.from(l.dataType) if t.family != "floating"
    } yield KeyBound(t.stored(l), t.stored(r), IntegralBand(t.attribute, 0, 0), None)

  private[this] def hash(keys: Seq[Expression]): Expression =
    keys.filter(_.nullable).map(IsNotNull(_)).reduceOption[Expression](And.apply) match {
      case None => XxHash64(keys, Seed)
      case Some(present) => If(present, XxHash64(keys, Seed), Literal(null, LongType))
    }

  private[this] val Seed = 42L
}
