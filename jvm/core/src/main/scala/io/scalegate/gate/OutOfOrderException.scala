package io.scalegate.gate

/** A source delivered a tuple that does not sort after what it had delivered or promised. The
  * tuple was not taken; the source can go on with a later one.
  */
final class OutOfOrderException(val source: String, val previousTs: Long, val ts: Long)
    extends IllegalArgumentException(
      s"$source delivered a tuple at time $ts after it had delivered or promised one at time " +
        s"$previousTs${OutOfOrderException.tie(previousTs, ts)}; " +
        "a source must deliver in rising order: sort its tuples before the gate"
    )

private object OutOfOrderException {
  def tie(previousTs: Long, ts: Long): String =
    if (ts == previousTs) " that sorts at the same place or later" else ""
}
