package io.scalegate.spark.around

/** A join with the rows that are nearest in time, as text: in plain Spark the candidates of each distinct left row are
  * numbered, the nearest first.
  *
  * @param how
  *   the type of the join, INNER, LEFT, LEFT SEMI or LEFT ANTI
  * @param time
  *   the column of both sides that it goes by
  * @param direction
  *   where it looks: backward, forward or nearest
  * @param most
  *   how many rows a left one is given
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
    direction: String,
    most: Int,
    exact: Boolean,
    reach: String,
    keyed: String,
    rest: String,
    wanted: String
) {
  import AsOfText._

  private[this] val ties = All.filter(_ != time)

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
      val numbered =
        s"SELECT $ofLeft, struct(${ofRight(All)}) AS r, " +
          s"row_number() OVER (PARTITION BY $ofLeft ORDER BY $preferred) AS n " +
          s"FROM (SELECT DISTINCT * FROM $left) l JOIN (${from(1)}) r ON $may"
      val same = All.map(c => s"l.$c <=> m.$c").mkString(" AND ")
      s"SELECT ${wanted.replace("r.", "m.r.")} FROM $left l $how JOIN ($numbered) m ON $same AND m.n <= $most"
    }

  private[this] def ours(from: Seq[String]) = {
    val order = ofRight(ties)
    val marker =
      if (most == 1) s"asof(l.$time, r.$time, '$direction', $reach, $exact, $order)"
      else s"nearest(l.$time, r.$time, $most, $reach, '$direction', $exact, $order)"
    s"SELECT $wanted FROM (${from(0)}) l $how JOIN (${from(1)}) r ON $keyed$marker$rest"
  }

  /** What a right row is that may be among the nearest. */
  private[this] def may = {
    val order = direction match {
      case "backward" => s"r.$time <= l.$time"
      case "forward" => s"r.$time >= l.$time"
      case _ => s"r.$time IS NOT NULL AND l.$time IS NOT NULL"
    }
    val own = if (exact) "" else s" AND r.$time <> l.$time"
    val near =
      if (reach == "NULL") ""
      else s" AND r.$time >= l.$time - $reach AND r.$time <= l.$time + $reach"
    s"$keyed$order$own$near$rest"
  }

  /** The nearest first: rows of equal times backward from the last, forward from the first. */
  private[this] def preferred = direction match {
    case "backward" => (time +: ties).map(c => s"r.$c DESC").mkString(", ")
    case "forward" => ofRight(time +: ties)
    case _ =>
      val before = s"r.$time <= l.$time"
      val sides = ties.flatMap(c =>
        Seq(s"if($before, r.$c, NULL) DESC", s"if($before, NULL, r.$c)")
      )
      (Seq(distance, s"if($before, 0, 1)") ++ sides).mkString(", ")
  }

  private[this] def distance =
    if (time == "t") "abs(unix_micros(r.t) - unix_micros(l.t))" else s"abs(r.$time - l.$time)"
}

private object AsOfText {
  val All: Seq[String] = Seq("a", "b", "t", "v")

  def ofRight(columns: Seq[String]): String = columns.map("r." + _).mkString(", ")
}
