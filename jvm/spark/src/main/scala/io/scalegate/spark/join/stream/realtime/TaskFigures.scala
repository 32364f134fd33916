package io.scalegate.spark.join.stream.realtime

import io.scalegate.stream.Sides

/** What a task of a join, or of an aggregate, in Real-Time Mode has done since its batch began. Times are microseconds since
  * the epoch. The rows of an aggregate are those of the left input, and its comparisons are merges of partial results.
  *
  * @param at
  *   when this was so
  * @param rows
  *   that came of each input, those that were copied to several tasks in each
  * @param late
  *   those of them that were dropped
  * @param latencies
  *   [[Latencies]] from when a source task read a row until the join had given all that the row matched by then
  * @param eventLatencies
  *   the same from the row's event time
  * @param stateRows
  *   that it holds
  * @param reached
  *   the event time that all sources have passed
  */
final case class TaskFigures(
    partition: Int,
    batch: Long,
    startedAt: Long,
    at: Long,
    rows: Sides[Long],
    late: Long,
    results: Long,
    comparisons: Long,
    latencies: Array[Byte],
    eventLatencies: Array[Byte],
    stateRows: Long,
    stateBytes: Long,
    reached: Long,
    sources: Sides[Seq[SourceFigures]]
)

/** What such a task knows of a task that reads one of its inputs.
  *
  * @param rows
  *   that came of it
  * @param promised
  *   the event time that it has passed, the least where it has promised nothing yet
  * @param silent
  *   for how long nothing was heard of it, in microseconds
  * @param isIdle
  *   whether the join goes on without it
  */
final case class SourceFigures(
    source: Int,
    rows: Long,
    promised: Long,
    silent: Long,
    isIdle: Boolean
)

/** What the tasks of one join or aggregate have told, the last of each.
  *
  * @param run
  *   of the query
  * @param operator
  *   the number of the operator among the query's stateful ones
  * @param name
  *   as the query's progress has it
  */
final case class OperatorFigures(
    run: String,
    operator: Long,
    name: String,
    tasks: Map[Int, TaskFigures]
) {

  /** With what another has that is newer. */
  def and(that: OperatorFigures): OperatorFigures = copy(tasks = that.tasks.foldLeft(tasks) {
    case (known, (partition, told)) =>
      if (known.get(partition).exists(_.at > told.at)) known else known.updated(partition, told)
  })

  /** Of the newest batch that any task has told of, in the order of the tasks. */
  def newest: Seq[TaskFigures] = {
    val all = tasks.values.toSeq
    all.filter(_.batch == all.map(_.batch).max).sortBy(_.partition)
  }

  /** The sources of each input, as those tasks that heard of them last know them. */
  def sources: Sides[Seq[SourceFigures]] = Sides.each { side =>
    newest.flatMap(_.sources(side)).groupBy(_.source).toSeq.sortBy(_._1).map {
      case (source, told) => SourceFigures(
          source,
          told.map(_.rows).sum,
          told.map(_.promised).max,
          told.map(_.silent).min,
          told.forall(_.isIdle)
        )
    }
  }

  /** How far each source is behind the one that has come farthest, in microseconds; None before its first promise. */
  def lag(source: SourceFigures): Option[Long] = {
    val farthest = sources.toSeq.flatten.map(_.promised).max
    Option.when(source.promised > Long.MinValue)(farthest - source.promised)
  }

  /** As the UI shows accumulators. */
  override def toString: String = s"${tasks.size} tasks"
}
