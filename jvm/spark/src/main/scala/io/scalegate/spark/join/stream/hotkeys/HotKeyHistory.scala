package io.scalegate.spark.join.stream.hotkeys

import org.apache.spark.SparkContext

import io.scalegate.spark.join.stream.state.StreamWindow
import io.scalegate.spark.join.stream.task.StreamBatch
import io.scalegate.stream.Side

/** Which keys of a running join are hot, batch after batch. Each table is in the checkpoint before a row is sent by it,
  * so that a batch which runs again, and those after it, go by the same one.
  *
  * Driver only, from a run's first batch on; any thread. It holds the last table, and the counts of frequent keys since
  * the last calibration.
  *
  * @param single
  *   the side whose rows may not be copied, if there is one
  */
final class HotKeyHistory(
    store: HotKeyStore,
    window: StreamWindow,
    single: Option[Side],
    partitions: Int
) {
  private[this] var last: SplitBatch = _
  private[this] var calibration = newCalibration

  /** How this batch, which follows the last one or runs again, shares its rows.
    *
    * @param theta
    *   the highest load of a partition over the average that is left alone; None where keys may not be split, and those
    *   that are split cease to be
    */
  def begin(batch: StreamBatch, theta: Option[Double], context: SparkContext): SplitBatch =
    synchronized {
      val before = if (last == null) store.latest(batch.number) else last.hot
      def advanced(keys: HotKeys) = keys.advanced(window.expired(_, batch.late, 0))
      val due = advanced(before)
      val next =
        if (last != null && last.number == batch.number - 1) advanced(planned(due, theta))
        else due
      if (next != before) store.write(batch.number, next)
      last = new SplitBatch(batch.number, next, partitions, batch.late, context)
      last
    }

  /** By what the batch before has seen. */
  private[this] def planned(keys: HotKeys, theta: Option[Double]): HotKeys = {
    last.addTo(calibration)
    last.latest match {
      case Some(latest) if theta.isEmpty && keys.keys.nonEmpty =>
        keys.towards(calibration.single, Map.empty, latest)
      case Some(latest) if theta.nonEmpty && calibration.isDone =>
        val seen = calibration
        calibration = newCalibration
        val wanted = seen.wanted(keys, theta.get)
        if (wanted.isEmpty && keys.keys.isEmpty) keys
        else keys.towards(seen.single, wanted, latest)
      case _ => keys
    }
  }

  private[this] def newCalibration = new KeyCalibration(partitions, single)
}
