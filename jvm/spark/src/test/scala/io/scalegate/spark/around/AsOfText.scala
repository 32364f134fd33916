package io.scalegate.spark.around

/** A join with the last row before or the first one after, as text: in plain Spark the nearest row of each distinct left
  * row is an aggregate over all that may be it.
  *
  * @param how
  *   the type of the join, INNER, LEFT, LEFT SEMI or LEFT ANTI
  * @param time
  *   the column of both sides that it goes by
  * @param back
  *   whether it looks backward
  * @param exact
  *   whether a row of the left one's own time counts
  * @param reach
  *   the tolerance, or NULL
  * @param keyed
  *   equalities of `l` and `r`, each with an AND behind it
  * @param rest
  *   other conditions, each with an AND before it
  * @param wanted
  *   the columns of the result
  */
final case class AsOfText(
    how: String,
    time: String,
    back: Boolean,
    exact: Boolean,
    reach: String,
    keyed: String,
    rest: String,
    wanted: String
) {
  import AsOfText._

  private[this] val ties = ofRight(All.filter(_ != time))

  /** @param from
    *   the left and the right input
    */
  def sql(in: Rendering, from: Seq[String]): String =
    if (!in.isPlain) ours(from)
    else if (how.startsWith("LEFT "))
      s"SELECT $wanted FROM (${from(0)}) l $how JOIN (${from(1)}) r ON $may"
    else {
      val left = in.keep("view", s"SELECT a, b, t, v FROM (${from(0)})")
      val ofLeft = All.map("l." + _).mkString(", ")
      val chosen =
        s"SELECT $ofLeft, ${if (back) "max" else "min"}_by(struct(${ofRight(All)}), " +
          s"struct(r.$time, $ties)) AS r FROM (SELECT DISTINCT * FROM $left) l JOIN (${from(1)}) r ON $may GROUP BY $ofLeft"
      val same = All.map(c => s"l.$c <=> m.$c").mkString(" AND ")
      s"SELECT ${wanted.replace("r.", "m.r.")} FROM $left l $how JOIN ($chosen) m ON $same"
    }

  private[this] def ours(from: Seq[String]) = {
    val direction = if (back) "backward" else "forward"
    s"SELECT $wanted FROM (${from(0)}) l $how JOIN (${from(1)}) r ON " +
      s"${keyed}asof(l.$time, r.$time, '$direction', $reach, $exact, $ties)$rest"
  }

  /** What a right row is that may be the nearest. */
  private[this] def may = {
    val order = s"r.$time ${if (back) "<" else ">"}${if (exact) "=" else ""} l.$time"
    val near =
      if (reach == "NULL") ""
      else s" AND r.$time ${if (back) s">= l.$time -" else s"<= l.$time +"} $reach"
    s"$keyed$order$near$rest"
  }
}

private object AsOfText {
  val All: Seq[String] = Seq("a", "b", "t", "v")

  def ofRight(columns: Seq[String]): String = columns.map("r." + _).mkString(", ")
}
