package io.scalegate.spark.join.stream.realtime

import org.apache.spark.util.AccumulatorV2

/** What the tasks of a join in Real-Time Mode tell the driver of themselves: with each heartbeat of their executor while
  * they run, and when they end. A task sets its own figures; its executor's heartbeat reads them in another thread, which sees
  * them as they were set last.
  */
final class FiguresAccumulator(run: String, operator: Long, name: String)
    extends AccumulatorV2[TaskFigures, OperatorFigures] {
  @volatile private[this] var figures = OperatorFigures(run, operator, name, Map.empty)

  override def value: OperatorFigures = figures

  override def isZero: Boolean = figures.tasks.isEmpty

  override def reset(): Unit = figures = OperatorFigures(run, operator, name, Map.empty)

  override def copy(): FiguresAccumulator = {
    val copied = new FiguresAccumulator(run, operator, name)
    copied.see(figures)
    copied
  }

  override def add(told: TaskFigures): Unit =
    see(OperatorFigures(run, operator, name, Map(told.partition -> told)))

  override def merge(other: AccumulatorV2[TaskFigures, OperatorFigures]): Unit = see(other.value)

  private def see(more: OperatorFigures): Unit = figures = figures.and(more)
}
