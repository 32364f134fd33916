package io.scalegate.spark.window.stream

/** When the windows of a stream are given. */
sealed trait PaneMode

object PaneMode {

  /** Once, when the watermark has passed their end. */
  case object Append extends PaneMode

  /** In each batch that has rows of theirs. */
  case object Update extends PaneMode

  /** All of them in each batch. */
  case object Complete extends PaneMode
}
