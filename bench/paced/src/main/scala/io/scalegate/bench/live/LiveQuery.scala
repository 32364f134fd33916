package io.scalegate.bench.live

/** What the live bench joins two streams by.
  *
  * @param name
  *   `band`, `keyed`, `asof`; `held` for bands over a number of rows, `held outer` for their left outer join
  * @param windowMillis
  *   by how much times may differ
  * @param band
  *   by how much both attributes may differ, unless the join is by keys
  * @param held
  *   rows of both streams that the window holds where the name says so; they come before the others
  */
final case class LiveQuery(name: String, windowMillis: Long, band: Int, held: Option[Long]) {
  def isByKey: Boolean = name == "keyed" || name == "asof"
  def isOuter: Boolean = name == "held outer"

  /** Events of each stream that come before the others. */
  def before: Long = held.fold(0L)(_ / 2)

  /** What tells an arm from the same one of another such query. */
  def suffix: String = held.fold("")(rows => f", $rows%,d rows held")
}

object LiveQuery {

  /** @param name
    *   with the number of rows after a colon, where it is `held` or `held outer`
    * @param perSecond
    *   events of both streams
    */
  def apply(name: String, perSecond: Int): LiveQuery = name.split(':') match {
    case Array(held, rows) => over(held, rows.toLong, perSecond)
    case _ => LiveQuery(name, 10000L, 10, None)
  }

  /** As wide as makes an event meet one of two rows of the other stream, whatever that holds: see [[PacedEvents]]. */
  private[this] def over(name: String, rows: Long, perSecond: Int): LiveQuery = {
    val values = math.sqrt(0.5 / (rows / 2.0)) * PacedEvents.Range
    val band = math.round((values - 1) / 2).toInt
    LiveQuery(name, rows * 1000 / perSecond, band, Some(rows))
  }
}
