package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count, Partial}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  EqualTo,
  Expression,
  GreaterThan,
  Literal
}
import org.apache.spark.sql.types.LongType
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.spark.join.batch.LocalJoin
import io.scalegate.spark.join.rowcount.RowWindowTerms
import io.scalegate.spark.join.{IndexTerms, JoinKeys, KeyBound}
import io.scalegate.spark.window.partial.PaneColumn
import io.scalegate.spark.window.{PaneTerms, SlidingWindow}
import io.scalegate.stream.Sides

/** What Spark's rules need of terms that they find among a node's arguments. */
final class NodeTermsSuite extends AnyFunSuite {
  private def column(name: String): Attribute = AttributeReference(name, LongType)()

  private val a = column("a")
  private val b = column("b")
  private val c = column("c")
  private val d = column("d")
  private val e = column("e")
  private val f = column("f")
  private val columns = Seq(a, b, c, d, e, f)
  private val band = IntegralBand(AttributeType.Int64, -1, 1)
  private val terms =
    IndexTerms(Seq(a, b), Seq(c, d), IndexBy.Bands(Vector(band, band)), Some(GreaterThan(e, f)))
  private val keys = JoinKeys(Seq(a, e), Seq(b, f))

  private val all: Seq[(String, NodeTerms)] = Seq(
    "an index's" -> terms,
    "an index's without a residual" -> terms.copy(residual = None),
    "keys" -> keys,
    "a bound on keys" -> KeyBound(a, b, band, Some(EqualTo(c, d))),
    "a sweep's" -> LocalJoin.Sweep(keys, terms),
    "an index's or a sweep's" ->
      LocalJoin.IndexOrSweep(keys, terms, KeyBound(c, d, band, None)),
    "an index's or blocks'" -> LocalJoin.IndexOrBlocks(keys, terms, EqualTo(a, f)),
    "a broadcast's" -> LocalJoin.Broadcast(Seq(c, d), terms, kept = None),
    "a window's of rows" -> RowWindowTerms(a, b, Seq(c, e), Seq(d, f), Sides(0L, 5L), Some(2)),
    "panes'" -> PaneTerms(
      SlidingWindow(4, 2, 0),
      Seq(a, b),
      Seq(AggregateExpression(Count(Seq(c)), Partial, isDistinct = false)),
      Some(GreaterThan(d, Literal(1L)))
    ),
    "a pane's column" -> PaneColumn(SlidingWindow(4, 2, 0), a)
  )

  for ((name, terms) <- all) {
    test(s"what a rule makes of an expression is in its place: $name") {
      val others = columns.map(x => column(s"other ${x.name}"))
      def renamed(expression: Expression, from: Seq[Attribute], to: Seq[Attribute]) =
        expression.transform { case x: Attribute => to(from.indexWhere(_.exprId == x.exprId)) }
      val changed = renamed(terms, columns, others)
      assert(changed.references.size == terms.references.size)
      assert(columns.forall(!changed.references.contains(_)))
      assert(renamed(changed, others, columns) == terms)
    }

    test(s"what holds an expression has it among its children: $name") {
      def held(value: Any): Seq[Expression] = value match {
        case x: Expression => Seq(x)
        case some: Iterable[_] => some.toSeq.flatMap(held)
        case some: Option[_] => some.toSeq.flatMap(held)
        case _ => Nil
      }
      assert(terms.productIterator.toSeq.flatMap(held) == terms.children)
    }
  }
}
