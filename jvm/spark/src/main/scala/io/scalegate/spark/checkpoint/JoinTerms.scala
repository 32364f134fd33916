package io.scalegate.spark.checkpoint

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.band.{Band, FloatingBand, IntegralBand}
import io.scalegate.spark.bounds.BoundedDifference
import io.scalegate.stream.Sides

/** What a join of two streams computes, in its checkpoint's words: the state of a join with other terms is of no use to
  * this one. Made when a batch is planned; driver only.
  *
  * The condition is what the user asks for. The bounds that are read off the condition decide how long rows are held,
  * and may be wider in another time zone or version. So the bounds are no terms, except where they make the cells in
  * which rows are held.
  *
  * @param keys
  *   by whose hash rows find their partition, in this order
  * @param condition
  *   without the keys, its conjuncts
  * @param times
  *   the event times that it goes by
  * @param rows
  *   how many rows the window holds, if it is one of rows
  * @param perKey
  *   whether of each key
  * @param nearest
  *   which rows of each key are joined, if those nearest in time are
  * @param aggregated
  *   what is computed of the rows of each key around a left row, if pairs are not what is given
  * @param where
  *   where rows meet that no keys bring together
  * @param cells
  *   the bounds that make the cells where they meet, if they do
  */
final case class JoinTerms(
    keys: Seq[(Expression, Expression)],
    condition: Seq[Expression],
    times: Seq[Attribute],
    rows: Option[Sides[Long]],
    perKey: Boolean,
    nearest: Option[NearestTerms],
    aggregated: Option[AggregatedTerms],
    where: Option[String],
    cells: Seq[BoundedDifference],
    older: OlderJoinTerms
) {

  /** @param state
    *   the version of the state's form
    * @param join
    *   its type
    * @param left
    *   the columns that are held of it, as `right` are
    */
  def checkpointTerms(
      state: Int,
      join: String,
      left: Seq[Attribute],
      right: Seq[Attribute]
  ): CheckpointTerms = {
    val names = JoinTerms.names("left", left) ++ JoinTerms.names("right", right)
    val text = new TermText(a => names.getOrElse(a.exprId, TermText.folded(a.name)))
    val terms = Seq(
      "format" -> state.toString,
      "join" -> join,
      "left" -> JoinTerms.columns(left),
      "right" -> JoinTerms.columns(right),
      "times" -> times.map(text(_)).mkString(", ")
    ) ++ Seq(
      "keys" -> keys.map { case (l, r) => s"${text(l)} = ${text(r)}" }.mkString(", "),
      "rows" -> rows.fold("")(JoinTerms.counts),
      "counted" -> (if (perKey) "per key" else ""),
      "nearest" -> nearest.fold("")(_.describe(text)),
      "aggregates" -> aggregated.fold("")(_.describe(text)),
      "condition" -> text.all(condition),
      "place" -> where.mkString,
      "cells" -> cells
        .map(d => s"${text(d.right)} - ${text(d.left)} in ${JoinTerms.ends(d.band)}")
        .mkString(", ")
    ).filter(_._2.nonEmpty)
    CheckpointTerms(terms, older.differences(_, state, join, left, right))
  }
}

/** Which right rows an as-of join takes for a left one, in a checkpoint's words.
  *
  * @param direction
  *   the name of it
  * @param exact
  *   whether a row of the left one's own time counts
  * @param most
  *   right rows for each left one
  * @param ties
  *   the order of right rows of one time
  */
final case class NearestTerms(
    direction: String,
    exact: Boolean,
    most: Int,
    ties: Seq[Expression]
) {
  private[checkpoint] def describe(text: TermText): String = {
    val order = if (ties.isEmpty) "" else s", ties by ${ties.map(text(_)).mkString(", ")}"
    s"$most $direction${if (exact) "" else ", not exact"}$order"
  }
}

/** What is computed of the right rows in the interval around a left one, in a checkpoint's words.
  *
  * @param functions
  *   over the right columns, with their filters behind each
  * @param keepsLast
  *   whether the last right row before the interval counts, too
  */
final case class AggregatedTerms(functions: Seq[Expression], keepsLast: Boolean) {
  private[checkpoint] def describe(text: TermText): String = {
    val last = if (keepsLast) ", and the last row before" else ""
    s"${functions.map(text(_)).mkString(", ")}$last"
  }
}

object JoinTerms {

  /** A side's columns by their names, or by their indexes where those are not the query's or not one column's. */
  private def names(side: String, columns: Seq[Attribute]) = {
    val all = columns.map(TermText.columnName)
    columns.zip(all).zipWithIndex.map { case ((a, name), i) =>
      a.exprId -> s"$side.${name.filter(n => all.count(_.contains(n)) == 1).getOrElse(s"#$i")}"
    }.toMap
  }

  private def columns(attributes: Seq[Attribute]): String = attributes
    .map(a => (TermText.columnName(a).toSeq :+ TermText.typeName(a.dataType)).mkString(" "))
    .mkString(", ")

  /** Of the left side and of the right one; once where they are the same. */
  private def counts(rows: Sides[Long]): String = rows.toSeq.distinct.mkString(" and ")

  private def ends(band: Band): String = band match {
    case IntegralBand(_, lower, upper) => s"[$lower, $upper]"
    case b: FloatingBand => s"[${b.lower}, ${b.upper}]"
  }
}
