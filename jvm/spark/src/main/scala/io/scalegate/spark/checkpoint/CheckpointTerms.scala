package io.scalegate.spark.checkpoint

/** The terms that a checkpoint must have been made by for an operator to go on with its state. The driver writes them
  * with a query's first batch, and compares them when the query starts again.
  *
  * @param now
  *   names and values, as this version writes them
  * @param before
  *   compares them with those that a version without `CheckpointTerms.Version` wrote, and gives what differs: the
  *   name, what was written, and what it is
  */
final case class CheckpointTerms(
    now: Seq[(String, String)],
    before: Map[String, String] => Seq[(String, String, String)]
) {
  def written: Seq[(String, String)] = (CheckpointTerms.Name -> CheckpointTerms.Version) +: now

  def differences(old: Map[String, String]): Seq[(String, String, String)] =
    if (!old.contains(CheckpointTerms.Name)) before(old)
    else CheckpointTerms.differences(old, written)
}

object CheckpointTerms {

  /** Of how terms are written: it changes when an older text is to be compared in another way. */
  private val Name = "terms"
  private val Version = "2"

  def differences(
      old: Map[String, String],
      now: Seq[(String, String)]
  ): Seq[(String, String, String)] =
    (now.map(_._1) ++ old.keys.toSeq.sorted).distinct.flatMap { name =>
      val (was, is) = (old.get(name), now.toMap.get(name))
      Option.when(was != is)((name, was.getOrElse("none"), is.getOrElse("none")))
    }
}
