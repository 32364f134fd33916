package io.scalegate.bench.join

/** What one run of an arm did.
  *
  * @param compared
  *   comparisons by thread; empty where they are not counted
  * @param bytesPerTuple
  *   heap allocated by all threads, over the tuples of both streams, where it was measured
  * @param tuples
  *   those that came in that time, where the data set does not say
  * @param cpuSeconds
  *   of all threads of the process, where they were measured
  */
final case class ArmResult(
    seconds: Double,
    matches: Long,
    compared: Vector[Long],
    bytesPerTuple: Option[Double] = None,
    tuples: Option[Long] = None,
    cpuSeconds: Option[Double] = None
)

object ArmResult {

  /** One line of JSON for the runs of an arm, which all must have found the same. */
  def json(arm: String, threads: Int, runs: Seq[ArmResult]): String = {
    require(runs.map(_.matches).distinct.size == 1, s"the runs of $arm differ in their matches")
    val last = runs.last
    val fields = Seq(
      Some(s""""arm": "$arm", "threads": $threads, "matches": ${last.matches}"""),
      Option.when(last.compared.nonEmpty)(
        s""""comparisons": ${last.compared.sum}, "comparisons_by_thread": ${array(
            last.compared
          )}"""
      ),
      last.tuples.map(n => s""""tuples": $n"""),
      Some(s""""seconds": ${array(runs.map(r => f"${r.seconds}%.4f"))}"""),
      last.bytesPerTuple.map(b => s""""bytes_per_tuple": ${math.round(b)}"""),
      median(runs.flatMap(_.cpuSeconds)).map(s => f""""CPU_s": $s%.3f""")
    )
    fields.flatten.mkString("{", ", ", "}")
  }

  private[bench] def median(values: Seq[Double]): Option[Double] = Option.when(values.nonEmpty) {
    val sorted = values.sorted
    (sorted((sorted.size - 1) / 2) + sorted(sorted.size / 2)) / 2
  }

  private[this] def array(values: Seq[Any]): String = values.mkString("[", ", ", "]")
}
