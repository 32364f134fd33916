package io.scalegate.spark.streaming

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.join.{Band, FloatingBand, IntegralBand}
import io.scalegate.spark.extract.BoundedDifference

/** What a join of two streams computes, for its checkpoint: the state of a join with other terms is of no use to it.
  *
  * The condition is what the user asks for. The bounds that are read off it decide how long rows are held, and may be
  * wider in another time zone or version: they are no term, but where they are the cells that rows are held in.
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
  * @param place
  *   where rows meet that no keys bring together
  * @param cells
  *   the bounds that make the cells where they meet, if they do
  */
final case class JoinTerms(
    keys: Seq[(Expression, Expression)],
    condition: Seq[Expression],
    times: (Attribute, Attribute),
    rows: Option[Long],
    perKey: Boolean,
    place: Option[String],
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
  def of(
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
      "times" -> s"${text(times._1)}, ${text(times._2)}"
    ) ++ Seq(
      "keys" -> keys.map { case (l, r) => s"${text(l)} = ${text(r)}" }.mkString(", "),
      "rows" -> rows.mkString,
      "counted" -> (if (perKey) "per key" else ""),
      "condition" -> text.all(condition),
      "place" -> place.mkString,
      "cells" -> cells
        .map(d => s"${text(d.right)} - ${text(d.left)} in ${JoinTerms.ends(d.band)}")
        .mkString(", ")
    ).filter(_._2.nonEmpty)
    CheckpointTerms(terms, older.differences(_, state, join, left, right))
  }
}

object JoinTerms {

  /** A side's columns by their names, or by their places where those are not the query's or not one column's. */
  private def names(side: String, columns: Seq[Attribute]) = {
    val all = columns.map(TermText.columnName)
    columns.zip(all).zipWithIndex.map { case ((a, name), i) =>
      a.exprId -> s"$side.${name.filter(n => all.count(_.contains(n)) == 1).getOrElse(s"#$i")}"
    }.toMap
  }

  private def columns(of: Seq[Attribute]): String = of
    .map(a => (TermText.columnName(a).toSeq :+ TermText.typeName(a.dataType)).mkString(" "))
    .mkString(", ")

  private def ends(band: Band): String = band match {
    case IntegralBand(_, lower, upper) => s"[$lower, $upper]"
    case b: FloatingBand => s"[${b.lower}, ${b.upper}]"
  }
}

/** Reads the terms that versions wrote which had a join's condition in Spark's words. What these words say beside the
  * condition is ignored: qualifiers, quotes, the case of names, the time zone of literals and of bounds that were widened
  * for it.
  *
  * @param bounds
  *   the differences that the condition bounds, the one that the window slides along first
  * @param rows
  *   the window, if it is one of rows
  * @param condition
  *   without the keys
  * @param residual
  *   what the bounds do not say of it
  * @param place
  *   where rows meet
  */
final case class OlderJoinTerms(
    keys: Seq[(Expression, Expression)],
    bounds: Seq[BoundedDifference],
    rows: Option[String],
    condition: Option[Expression],
    residual: Option[Expression],
    place: String,
    inCells: Boolean
) {
  import OlderJoinTerms._

  def differences(
      old: Map[String, String],
      state: Int,
      join: String,
      left: Seq[Attribute],
      right: Seq[Attribute]
  ): Seq[(String, String, String)] = {
    def columns(of: Seq[Attribute]) = of.map(a => s"${a.name} ${a.dataType.sql}").mkString(", ")
    Seq(
      ("format", state.toString, plain _),
      ("join", join, plain _),
      ("left", columns(left), ofColumns _),
      ("right", columns(right), ofColumns _)
    ).flatMap { case (name, now, read) =>
      val was = old.getOrElse(name, "none")
      Option.when(read(was) != read(now))((name, was, now))
    } ++ {
      val was = old.getOrElse("condition", "none")
      Option.when(!isSame(read(was), read(wording)))(("condition", was, wording))
    }
  }

  /** As those versions wrote it. */
  private[this] def wording: String = {
    def bound(d: BoundedDifference) =
      s"${d.right.sql} - ${d.left.sql} in [${d.range.lower}, ${d.range.upper}]"
    val (window, bands) =
      if (rows.isEmpty) (bounds.headOption.map(bound), bounds.drop(1))
      else (rows, bounds)
    Seq(
      Option.when(keys.nonEmpty)(
        keys.map { case (l, r) => s"${l.sql} = ${r.sql}" }.mkString("keys: ", ", ", "")
      ),
      window.map(w => s"window: $w"),
      Option.when(bands.nonEmpty)(bands.map(bound).mkString("bands: ", ", ", "")),
      residual.map(r => s"residual: ${r.sql}"),
      Some(s"algorithm: index over both windows$place")
    ).flatten.mkString("; ")
  }

  /** Where a bound is no more than a guide to the condition, which stands among what is left, its ends may differ: one of
    * days is wider in a zone that has summer time.
    */
  private[this] def isSame(was: Map[String, String], is: Map[String, String]): Boolean = {
    val (before, now) = (was.getOrElse("residual", ""), textsOf(residual))
    val guided = bounds.exists(!_.exact) || !isMadeOf(before, now)
    (was.keySet ++ is.keySet).forall { part =>
      val (x, y) = (was.getOrElse(part, ""), is.getOrElse(part, ""))
      part match {
        case "window" | "bands" if guided && !(inCells && part == "bands") =>
          withoutEnds(x) == withoutEnds(y)
        case "residual" =>
          isMadeOf(before, textsOf(condition)) && (guided || now.forall(before.contains(_)))
        case _ => x == y
      }
    }
  }

  private[this] def textsOf(e: Option[Expression]): Seq[String] =
    e.toSeq.flatMap(TermText.conjuncts).map(c => unspelled(c.sql))
}

object OlderJoinTerms {
  private def plain(text: String): String = text

  private def ofColumns(text: String): Seq[String] =
    text.split(", ").toSeq.map(c => ownNames(TermText.folded(c)))

  private val Parts = Seq("keys", "window", "bands", "residual", "algorithm")

  private def read(condition: String): Map[String, String] =
    condition.split(s"; (?=(${Parts.mkString("|")}): )").toSeq.map { part =>
      val colon = part.indexOf(": ")
      if (colon < 0) part -> "" else part.take(colon) -> unspelled(part.drop(colon + 2))
    }.toMap

  /** Without what is spelled only: the zone of times, quotes, qualifiers, capitals. */
  private def unspelled(text: String): String = {
    val timeless = text.replaceAll("TIMESTAMP(_LTZ)? '[^']*'", "TIMESTAMP")
    ownNames(TermText.folded(timeless.replace("`", "").replaceAll("\\b[A-Za-z_]\\w*\\.", "")))
  }

  private def ownNames(text: String): String = text.replaceAll("__scalegate\\w*", "#")

  /** Whether a text consists of these conditions. */
  private def isMadeOf(text: String, conditions: Seq[String]): Boolean = conditions
    .sortBy(-_.length)
    .foldLeft(text)(_.replace(_, ""))
    .replaceAll("\\band\\b|[() ]", "")
    .isEmpty

  private def withoutEnds(text: String): String = text.replaceAll(" in \\[[^\\]]*\\]", "")
}
