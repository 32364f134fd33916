package io.scalegate.spark.settings

import java.util.Locale

import io.scalegate.multiway.design.{MQ, MQLF, TuMLMC, TuMLSC, WiML, WithShortcuts}
import io.scalegate.multiway.{AggregateDesign, PaneAggregate}

/** A design of the paper on T-Gate and W-Hive, for aggregates over sliding windows, by the name that a hint gives it.
  *
  * @param title
  *   what EXPLAIN calls it
  */
sealed abstract class WindowDesign(
    val name: String,
    val title: String,
    val takes: Seq[OperatorOption[_]],
    design: OperatorOptions => AggregateDesign
) extends TakesOptions {
  def strategy(options: OperatorOptions): AggregateDesign = {
    def is(option: OperatorOption[Boolean]) = options.getOrElse(option, false)
    val made = design(options)
    val linked = if (is(OperatorOption.Shortcuts)) new WithShortcuts(made) else made
    if (is(OperatorOption.Panes)) new PaneAggregate(linked) else linked
  }
}

object WindowDesign {
  import OperatorOption.{Inputs, Panes, Shortcuts, Threads, Winset}

  /** A queue for each input, with locks. */
  case object OfQueues extends WindowDesign("mq", "MQ", Seq(Inputs, Panes), _ => MQ)

  /** The same without locks. */
  case object OfFreeQueues extends WindowDesign("mqlf", "MQLF", Seq(Inputs, Panes), _ => MQLF)

  /** A T-Gate whose consumer updates the windows. */
  case object OneUpdater extends WindowDesign("tumlsc", "TuMLSC", Seq(Inputs, Panes), _ => TuMLSC)

  /** A T-Gate with threads that update the windows. */
  case object Updaters
      extends WindowDesign(
        "tumlmc",
        "TuMLMC",
        Seq(Inputs, Threads, Shortcuts, Panes),
        options => new TuMLMC(options.threads)
      )

  /** A W-Hive whose inputs update the windows. */
  case object OfWinsets
      extends WindowDesign(
        "wiml",
        "WiML",
        Seq(Inputs, Winset, Shortcuts, Panes),
        options => if (options.getOrElse(Winset, false)) WiML.Michael else WiML
      )

  /** Lazy, as each of them needs this object first. */
  lazy val all: Seq[WindowDesign] =
    Seq(OfQueues, OfFreeQueues, OneUpdater, Updaters, OfWinsets)

  /** What a hint or the setting writes: a name, followed by options or not, as in `tumlmc(threads=2, inputs=3)`. None for
    * another name.
    *
    * @throws java.lang.IllegalArgumentException
    *   for options that are none
    */
  def find(text: String): Option[NamedDesign] =
    for {
      (name, options) <- TakesOptions.split(text.toLowerCase(Locale.ROOT))
      design <- all.find(_.name == name)
    } yield NamedDesign(design, OperatorOptions.parse(design, options))
}
