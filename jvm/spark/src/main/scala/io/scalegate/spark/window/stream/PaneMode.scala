package io.scalegate.spark.window.stream

/** When the windows of a stream are given. */
sealed abstract class PaneMode(val name: String)

object PaneMode {

  /** Once, when the watermark has passed their end. */
  case object Append extends PaneMode("append")

  /** In each batch that has rows of theirs. */
  case object Update extends PaneMode("update")

  /** All of them in each batch. */
  case object Complete extends PaneMode("complete")
}
