package io.scalegate.bench.aggregate

import java.util.function.Predicate
import java.util.regex.Pattern

import io.scalegate.aggregate._
import io.scalegate.stream.{SlidingWindows, StreamTuple}

/** A query of multiway aggregation's Table 2.
  *
  * @param isEnergy
  *   over the meters' readings, else over the comments
  */
final class Query[S <: AnyRef, R](
    val id: String,
    val isEnergy: Boolean,
    sizeSeconds: Int,
    advanceSeconds: Int,
    val function: AggregateFunction[StreamTuple, S, R]
) {
  val spec: AggregateSpec[java.lang.Long, S, R] = AggregateSpec(
    SlidingWindows(sizeSeconds * 1000L, advanceSeconds * 1000L),
    if (isEnergy) t => Query.reading(t).meter else t => Query.comment(t).song,
    function
  )

  def data(inputs: Int, tuples: Int): Array[StreamTuple] =
    if (isEnergy) QueryData.energy(inputs, tuples) else QueryData.comments(inputs, tuples)
}

object Query {
  private val mail = Pattern.compile("[\\w.+-]+@[\\w-]+\\.[\\w.]+")
  private val ip = Pattern.compile("\\b\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\b")

  private val hasMail: Predicate[StreamTuple] = t => mail.matcher(comment(t).text).find()
  private val hasMailOrIp: Predicate[StreamTuple] = t =>
    mail.matcher(comment(t).text).find() || ip.matcher(comment(t).text).find()

  private val kwh = Functions.first[StreamTuple, Double](reading(_).kwh)
  private val avgKwh = Functions.avgOfDoubles[StreamTuple](reading(_).kwh)
  private val text = Functions.first[StreamTuple, String](comment(_).text)

  private def firstThat(accepts: Predicate[StreamTuple]) =
    Functions.firstThat[StreamTuple, String](accepts, comment(_).text)

  val all: Seq[Query[_ <: AnyRef, _]] = Seq(
    new Query("k-OS", true, 30, 3, kwh),
    new Query("K-OS", false, 30, 3, text),
    new Query("w-OS", true, 20, 2, kwh),
    new Query("W-OS", true, 40, 2, kwh),
    new Query("f-OS", false, 20, 2, firstThat(hasMail)),
    new Query("F-OS", false, 20, 2, firstThat(hasMailOrIp)),
    new Query("k-OI", true, 30, 3, Functions.count),
    new Query("K-OI", false, 30, 3, Functions.count),
    new Query("w-OI", true, 20, 2, avgKwh),
    new Query("W-OI", true, 40, 2, avgKwh),
    new Query("f-OI", false, 20, 2, Functions.countIf(hasMail)),
    new Query("F-OI", false, 20, 2, Functions.countIf(hasMailOrIp))
  )

  private def reading(t: StreamTuple): Reading = t.row.asInstanceOf[Reading]
  private def comment(t: StreamTuple): Comment = t.row.asInstanceOf[Comment]
}
