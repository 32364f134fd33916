package io.scalegate

/** How often a test that looks for rare interleavings is repeated: a sample in every run of the tests, many times as
  * often in a campaign, with `SCALEGATE_SOAK=n`, as `make soak` sets it.
  */
object Sample {

  /** The campaign's factor; 0 in a run of the tests. */
  val soak: Int = sys.env.get("SCALEGATE_SOAK").fold(0)(_.toInt)

  /** So many times in a campaign, for each of its factor; a sixteenth of that in a run of the tests. */
  def rounds(times: Int): Int = if (soak > 0) times * soak else math.max(1, times / 16)
}
