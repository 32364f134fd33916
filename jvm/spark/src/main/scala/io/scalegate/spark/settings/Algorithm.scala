package io.scalegate.spark.settings

import java.util.Locale

/** A way to run a window join. */
abstract class Algorithm private[settings] (val name: String) extends Serializable

object Algorithm {

  /** The index of a side that every executor gets whole. */
  case object Broadcast extends Algorithm("broadcast")

  /** In each partition, the index of a side's rows. */
  case object Index extends Algorithm("index")

  /** In each partition, a window over both sides' sorted rows. */
  case object Sweep extends Algorithm("sweep")

  /** In each cell of a matrix, a part of both sides' rows: all meet, whatever the condition. */
  case object Matrix extends Algorithm("matrix")

  /** How Spark's tasks join. */
  val own: Seq[Algorithm] = Seq(Broadcast, Index, Sweep, Matrix)

  /** The choice that is left to the planner. */
  val Auto = "auto"

  val names: Seq[String] = Auto +: (own.map(_.name) ++ JoinOperator.all.map(_.name))

  /** What a hint or a setting writes: one of [[names]], an operator's followed by options or not, as in
    * `pim(threads=2, merge_ratio=0.5)`. None for what begins with no such name; None in it for [[Auto]].
    *
    * @throws java.lang.IllegalArgumentException
    *   for options that are none
    */
  def parse(text: String): Option[Option[Algorithm]] =
    TakesOptions.split(text.toLowerCase(Locale.ROOT)).collect {
      case (name, options) if names.contains(name) =>
        val operator = JoinOperator.all.find(_.name == name)
        if (options.nonEmpty && operator.isEmpty) throw Errors.optionsOfNone(name)
        operator
          .map(o => NamedOperator(o, OperatorOptions.parse(o, options)))
          .orElse(own.find(_.name == name))
    }
}
