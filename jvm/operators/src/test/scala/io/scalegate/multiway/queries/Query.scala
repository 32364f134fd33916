package io.scalegate.multiway.queries

import java.util.function.Predicate
import java.util.regex.Pattern

import io.scalegate.multiway.function.{AggregateFunction, Functions}
import io.scalegate.multiway.{AggregateDefinition, AggregateSpec}
import io.scalegate.stream.{SlidingWindows, StreamTuple}

/** A query of multiway aggregation's Table 2.
  *
  * @param isEnergy
  *   over the meters' readings, else over the comments
  * @param definition
  *   what the function says of a window's tuples of a key, in their order, said without it
  */
final class Query[S <: AnyRef, R] private (
    val id: String,
    val isEnergy: Boolean,
    sizeSeconds: Int,
    advanceSeconds: Int,
    val function: AggregateFunction[StreamTuple, S, R],
    val definition: Vector[StreamTuple] => R
) {
  val spec: AggregateSpec[java.lang.Long, S, R] = AggregateSpec(
    SlidingWindows(sizeSeconds * 1000L, advanceSeconds * 1000L),
    if (isEnergy) t => Query.reading(t).meter else t => Query.comment(t).song,
    function
  )

  def data(inputs: Int, tuples: Int): Array[StreamTuple] =
    if (isEnergy) QueryData.energy(inputs, tuples) else QueryData.comments(inputs, tuples)

  /** What it says of each window and key of such data, by its definition; the keys in order. */
  def defined(data: Vector[StreamTuple]): Vector[(Long, Vector[(java.lang.Long, R)])] =
    AggregateDefinition.byKey(spec.windows, data, spec.key)(definition)(Query.keyOrder)
}

object Query {
  val keyOrder: Ordering[java.lang.Long] = Ordering.by(_.longValue)

  val Mail: String = "[\\w.+-]+@[\\w-]+\\.[\\w.]+"
  val Ip: String = "\\b\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\b"

  private val mail = Pattern.compile(Mail)
  private val ip = Pattern.compile(Ip)

  private val hasMail: Predicate[StreamTuple] = t => mail.matcher(comment(t).text).find()
  private val hasMailOrIp: Predicate[StreamTuple] = t =>
    mail.matcher(comment(t).text).find() || ip.matcher(comment(t).text).find()

  private val kwh = Functions.first[StreamTuple, Double](reading(_).kwh)
  private val avgKwh = Functions.avgOfDoubles[StreamTuple](reading(_).kwh)
  private val text = Functions.first[StreamTuple, String](comment(_).text)

  private def firstThat(accepts: Predicate[StreamTuple]) =
    Functions.firstThat[StreamTuple, String](accepts, comment(_).text)

  private type Tuples = Vector[StreamTuple]

  private def firstKwh(ts: Tuples): Option[Double] = ts.headOption.map(reading(_).kwh)

  private def meanKwh(ts: Tuples): Option[Double] =
    Some(
      ts.map(t => new java.math.BigDecimal(reading(t).kwh)).reduce(_ add _).doubleValue / ts.size
    )

  /** In the data nothing else holds this sign. */
  private def withMail(ts: Tuples): Tuples = ts.filter(comment(_).text.contains("@"))

  private def withEither(ts: Tuples): Tuples =
    ts.filter(t => comment(t).text.exists(c => c == '@' || c.isDigit))

  private def firstText(ts: Tuples): Option[String] = ts.headOption.map(comment(_).text)

  val all: Seq[Query[_ <: AnyRef, _]] = Seq(
    new Query("k-OS", true, 30, 3, kwh, firstKwh),
    new Query("K-OS", false, 30, 3, text, firstText),
    new Query("w-OS", true, 20, 2, kwh, firstKwh),
    new Query("W-OS", true, 40, 2, kwh, firstKwh),
    new Query("f-OS", false, 20, 2, firstThat(hasMail), ts => firstText(withMail(ts))),
    new Query("F-OS", false, 20, 2, firstThat(hasMailOrIp), ts => firstText(withEither(ts))),
    new Query("k-OI", true, 30, 3, Functions.count, _.size.toLong),
    new Query("K-OI", false, 30, 3, Functions.count, _.size.toLong),
    new Query("w-OI", true, 20, 2, avgKwh, meanKwh),
    new Query("W-OI", true, 40, 2, avgKwh, meanKwh),
    new Query("f-OI", false, 20, 2, Functions.countIf(hasMail), withMail(_).size.toLong),
    new Query("F-OI", false, 20, 2, Functions.countIf(hasMailOrIp), withEither(_).size.toLong)
  )

  private def reading(t: StreamTuple): Reading = t.row.asInstanceOf[Reading]
  private def comment(t: StreamTuple): Comment = t.row.asInstanceOf[Comment]
}
