package io.scalegate.spark.settings

import io.scalegate.partition.{MatrixLayout, SplitChoice}

/** Something that a user may say of an operator beside its name, as in `pim(threads=2, merge_ratio=0.5)`.
  *
  * @param name
  *   before the equals sign
  * @param takes
  *   what stands after it, in words
  * @param read
  *   what that says, in lower case; None for what says nothing
  */
sealed abstract class OperatorOption[A](
    val name: String,
    val takes: String,
    val read: String => Option[A]
) {
  override def toString: String = name
}

object OperatorOption {

  /** More threads than this are a mistake. */
  val MostThreads = 1024

  private[this] val Whole = "a whole number from 1 on"

  private[this] def whole(text: String): Option[Int] = text.toIntOption.filter(_ > 0)

  private[this] def share(text: String): Option[Double] =
    text.toDoubleOption.filter(m => m > 0 && m <= 1)

  /** The operator's own, in each task. */
  case object Threads
      extends OperatorOption[Int](
        "threads",
        s"a whole number from 1 to $MostThreads",
        whole(_).filter(_ <= MostThreads)
      )

  /** A worker for each cell, instead of a number of threads. */
  case object Layout
      extends OperatorOption[MatrixLayout](
        "layout",
        s"rows and columns of workers, as in 2x3, no more than $MostThreads in all",
        LayoutText.parse(_).filter(_.workers <= MostThreads)
      )

  /** Whether the layout follows the streams while they are joined. */
  case object Adaptive
      extends OperatorOption[Boolean]("adaptive", "true or false", _.toBooleanOption)

  /** `m` of the PIM-Tree paper: the part of the window that is inserted between two merges. */
  case object MergeRatio
      extends OperatorOption[Double]("merge_ratio", "a number above 0 and at most 1", share)

  /** `D_I` of the PIM-Tree paper: the depth at which subindexes hang. */
  case object InsertionDepth
      extends OperatorOption[Int](
        "insertion_depth",
        "a whole number from 0 to 16",
        _.toIntOption.filter(depth => depth >= 0 && depth <= 16)
      )

  /** The bands that an index lies on. */
  case object Dimensions
      extends OperatorOption[Int]("dimensions", "1 or 2", Map("1" -> 1, "2" -> 2).get)

  /** Tuples that a thread takes at a time. */
  case object TaskSize extends OperatorOption[Int]("task_size", Whole, whole)

  /** Subindexes of a chained index. */
  case object Length
      extends OperatorOption[Int]("length", "a whole number from 2 on", whole(_).filter(_ > 1))

  /** The most replicas that one key may have. */
  case object Splitting extends OperatorOption[Int]("splitting", Whole, whole)

  /** `θ` of PPOIJ's Algorithm 1: the highest load that is good enough, in average loads. */
  case object Theta
      extends OperatorOption[Double](
        "theta",
        "a number from 1 to 100",
        _.toDoubleOption.filter(theta => theta >= 1 && theta <= 100)
      )

  /** Which keys are split: by the paper's Algorithm 1, or those of the busiest replica. */
  case object Split
      extends OperatorOption[SplitChoice](
        "split",
        "every-key, as in the paper, or busiest",
        Map("every-key" -> SplitChoice.EveryKey, "busiest" -> SplitChoice.Busiest).get
      )

  /** The most tuples that are taken before their results are handed on. */
  case object Batch extends OperatorOption[Int]("batch", Whole, whole)

  /** Whether tuples come by emitters and collectors, as in the PPOIJ paper, or by a gate that every replica reads.
    */
  case object Emitters
      extends OperatorOption[Boolean]("emitters", "true or false", _.toBooleanOption)

  /** Sorted inputs of an aggregate, or of each side of a join. */
  case object Inputs
      extends OperatorOption[Int](
        "inputs",
        s"a whole number from 1 to $MostThreads",
        whole(_).filter(_ <= MostThreads)
      )

  /** Whether the threads of a W-Hive share one table in each winset, as in the paper, or have lanes. */
  case object Winset
      extends OperatorOption[Boolean](
        "winset",
        "michael, as in the paper, or lanes",
        Map("michael" -> true, "lanes" -> false).get
      )

  /** Whether the winsets of a W-Hive are in a skip list, as in the paper, or in a list. */
  case object Shortcuts
      extends OperatorOption[Boolean]("shortcuts", "true or false", _.toBooleanOption)

  /** Whether an aggregate makes its windows of panes. */
  case object Panes extends OperatorOption[Boolean]("panes", "true or false", _.toBooleanOption)

  /** Lazy, as each of them needs this object first. */
  lazy val all: Seq[OperatorOption[_]] = Seq(
    Threads,
    Layout,
    Adaptive,
    MergeRatio,
    InsertionDepth,
    Dimensions,
    TaskSize,
    Length,
    Splitting,
    Theta,
    Split,
    Batch,
    Emitters,
    Inputs,
    Winset,
    Shortcuts,
    Panes
  )
}
