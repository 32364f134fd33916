package io.scalegate.spark.join.explain

import io.scalegate.spark.join.operator.TaskWork

/** A join of a [[RecentQuery]].
  *
  * @param figures
  *   the physical node's SQL metrics, over all of its tasks
  * @param work
  *   of an operator's tasks; none for what Spark's own tasks join
  */
final private[explain] case class RecentJoin(
    name: String,
    figures: Map[String, Long],
    work: Seq[TaskWork]
) {

  /** How it was run, from what EXPLAIN says. */
  def algorithm: String = name.split("; ").find(_.startsWith(RecentJoin.Algorithm))
    .fold(name)(_.stripPrefix(RecentJoin.Algorithm))
}

private[explain] object RecentJoin {
  val Algorithm = "algorithm: "
}
