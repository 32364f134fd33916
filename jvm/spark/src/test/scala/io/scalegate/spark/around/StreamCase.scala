package io.scalegate.spark.around

import java.sql.Timestamp

/** A row of a test's stream, with the columns that every query has. */
final case class StreamRow(a: Option[Long], b: Option[Long], t: Timestamp, v: Option[String])

/** What one batch brings: the rows of each stream, by the stream's name. */
final case class Arrival(rows: Map[String, Seq[StreamRow]]) {
  def size: Int = rows.values.map(_.size).sum

  def rowsOf(stream: String): Seq[StreamRow] = rows.getOrElse(stream, Nil)

  /** Arrivals with fewer rows: without a stream's, with half of them, with all but one. */
  def shrunk: Iterator[Arrival] = rows.iterator.filter(_._2.nonEmpty).flatMap {
    case (stream, all) =>
      val (first, last) = all.splitAt(all.size / 2)
      val fewer = Iterator(Nil, first, last).filter(_.size < all.size)
      val oneLess =
        if (all.size > MostOneByOne) Iterator.empty
        else all.indices.iterator.map(i => all.patch(i, Nil, 1))
      (fewer ++ oneLess).map(some => Arrival(rows.updated(stream, some)))
  }

  private def MostOneByOne = 6
}

/** A query over streams, how its rows come and where they go.
  *
  * @param mode
  *   append, update or complete
  * @param restarts
  *   before which batches the query ends and starts again from its checkpoint
  */
final case class StreamCase(
    query: Query,
    mode: String,
    output: StreamCase.Output,
    arrivals: Seq[Arrival],
    restarts: Set[Int],
    settings: Map[String, String]
) {
  def sink: String = output.sink
  def limit: Option[Int] = output.limit

  /** The columns that say which of an updated result's rows are the same row's, if any is given again. */
  def keys: Option[Seq[Int]] =
    if (mode != "update") None else StreamCase.WindowKeys.get(query.label)

  /** Cases that are simpler. */
  def shrunk: Iterator[StreamCase] =
    query.shrunk.map(q => copy(query = q)) ++
      limit.iterator.map(_ => copy(output = output.copy(limit = None))) ++
      restarts.iterator.map(r => copy(restarts = restarts - r)) ++
      (if (sink == StreamCase.Sinks.head) Iterator.empty
       else Iterator(copy(output = output.copy(sink = StreamCase.Sinks.head)))) ++
      settings.keysIterator.map(k => copy(settings = settings - k)) ++
      fewerRows

  /** Without a batch the restarts come before the same batches as they did. */
  private def fewerRows: Iterator[StreamCase] =
    arrivals.indices.iterator.map { i =>
      val moved = restarts.filter(_ != i).map(r => if (r > i) r - 1 else r)
      copy(arrivals = arrivals.patch(i, Nil, 1), restarts = moved)
    }.filter(_.arrivals.nonEmpty) ++
      arrivals.indices.iterator.flatMap { i =>
        arrivals(i).shrunk.map(less => copy(arrivals = arrivals.updated(i, less)))
      }

  def rows(stream: String): Seq[StreamRow] = arrivals.flatMap(_.rowsOf(stream))

  override def toString: String = {
    val set = settings.toSeq.sorted.map { case (k, v) => s"$k=$v" }.mkString(", ")
    s"mode: $mode, sink: $sink, limit: $limit, restarts before batches: ${restarts.mkString(", ")}\n" +
      s"  settings: $set\n  ${Rendering.shown(query)}\n  rows: $brought"
  }

  private def brought: String =
    if (arrivals.map(_.size).sum > 40)
      arrivals.map(_.rows.view.mapValues(_.size).toMap).mkString("; ")
    else
      arrivals.zipWithIndex.map { case (batch, i) => s"\n    batch $i: ${batch.rows}" }.mkString
}

object StreamCase {

  /** Where a query's rows go.
    *
    * @param sink
    *   one of [[Sinks]]
    * @param limit
    *   how many of its rows are asked for, if not all
    */
  final case class Output(sink: String, limit: Option[Int])

  val Streams: Seq[String] = Seq("l", "r", "m")
  val Sinks: Seq[String] = Seq("collected", "collected twice", "queried", "file", "memory")

  /** The columns that a result over windows is grouped by, by the query's label. */
  val WindowKeys: Map[String, Seq[Int]] = Map(
    "windows" -> Seq(2),
    "windows by v" -> Seq(2, 3)
  )
}
