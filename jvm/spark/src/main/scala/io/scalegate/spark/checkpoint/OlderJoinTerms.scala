package io.scalegate.spark.checkpoint

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.spark.bounds.BoundedDifference

/** Reads the terms that versions wrote which had a join's condition in Spark's words. What these words say beside the
  * condition is ignored: qualifiers, quotes, the case of names, the time zone of literals and of bounds that were
  * widened for it. Driver only.
  *
  * @param bounds
  *   the differences that the condition bounds, the one that the window slides along first
  * @param rows
  *   the window, if it is one of rows
  * @param condition
  *   without the keys
  * @param residual
  *   what the bounds do not say of it
  * @param where
  *   where rows meet
  */
final case class OlderJoinTerms(
    keys: Seq[(Expression, Expression)],
    bounds: Seq[BoundedDifference],
    rows: Option[String],
    condition: Option[Expression],
    residual: Option[Expression],
    where: String,
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
    def columns(attributes: Seq[Attribute]) =
      attributes.map(a => s"${a.name} ${a.dataType.sql}").mkString(", ")
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
      Some(s"algorithm: index over both windows$where")
    ).flatten.mkString("; ")
  }

  /** Where a bound is no more than a guide to the condition, which stands among what is left, its ends may differ: one
    * of days is wider in a zone that has summer time.
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
