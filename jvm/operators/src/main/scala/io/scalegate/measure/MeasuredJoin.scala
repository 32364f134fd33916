package io.scalegate.measure

import io.scalegate.join.{JoinOptions, JoinSpec, JoinStrategy}
import io.scalegate.stream.Side

/** Any join strategy, with the latency of every result: the time from the arrival of its later tuple at a source
  * to the moment the consumer takes it. A tuple arrives when it is first offered: the time that it waits at a
  * source that is full counts.
  */
final class MeasuredJoin(strategy: JoinStrategy) extends JoinStrategy {
  def name: String = strategy.name

  override def open(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      options: JoinOptions = JoinOptions()
  ): MeasuredRun = new MeasuredRun(strategy.open(spec, sources, options))
}
