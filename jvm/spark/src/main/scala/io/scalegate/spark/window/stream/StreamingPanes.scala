package io.scalegate.spark.window.stream

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.checkpoint.{CheckpointTerms, TermText}
import io.scalegate.spark.window.{SlidingAggregate, SlidingWindow}

/** Which aggregates of streams panes can compute. Asked when a query is planned. */
private[scalegate] object StreamingPanes {

  /** Not where Spark takes the watermark of a batch for that of the batch before: what was given already is then not
    * known.
    */
  def isEnabled(conf: SQLConf): Boolean =
    conf.getConf(SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE)

  /** The windows alone say what is late, and Spark refuses keys that may be equal without having the same bytes. */
  def isRunnable(found: SlidingAggregate): Boolean = found.keys.forall { k =>
    !k.metadata.contains(EventTimeWatermark.delayKey) && UnsafeRowUtils.isBinaryStable(k.dataType)
  }
}

/** Reads the terms that versions wrote which had types in Spark's words, and of functions no more than names and types.
  * The case of names is ignored.
  */
private object OlderPaneTerms {
  def differences(
      old: Map[String, String],
      format: (String, String),
      by: SlidingWindow,
      keys: Seq[Attribute],
      functions: Seq[AggregateFunction]
  ): Seq[(String, String, String)] = {
    def folded(terms: Seq[(String, String)]) =
      terms.map { case (name, value) => name -> TermText.folded(value) }.toMap
    val now = Seq(
      format,
      "windows" -> by.toString,
      "keys" -> keys.map(k => s"${k.name} ${k.dataType.sql}").mkString(", "),
      "functions" -> functions.map(f => s"${f.prettyName} ${f.dataType.sql}").mkString(", ")
    )
    val differing =
      CheckpointTerms.differences(folded(old.toSeq), folded(now).toSeq).map(_._1).toSet
    CheckpointTerms.differences(old, now).filter { case (name, _, _) => differing(name) }
  }
}
