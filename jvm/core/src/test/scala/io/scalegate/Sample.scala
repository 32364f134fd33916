package io.scalegate

/** How much of what they could try the tests try: a sample in every run of them, all of it in a campaign, with
  * `SCALEGATE_SOAK=n`, as `make soak` sets it. A sample is the same in every run.
  */
object Sample {

  /** The campaign's factor; 0 in a run of the tests. */
  val soak: Int = sys.env.get("SCALEGATE_SOAK").fold(0)(_.toInt)

  def isSoak: Boolean = soak > 0

  /** So many times in a campaign, for each of its factor; a sixteenth of that in a run of the tests. For what looks for
    * rare interleavings.
    */
  def rounds(times: Int): Int = if (isSoak) times * soak else math.max(1, times / 16)

  /** So many random cases in a campaign, a quarter of them in a run of the tests. */
  def cases(all: Int): Int = if (isSoak) all else math.max(1, all / 4)

  /** So many random cases in a campaign, an eighth of them in a run of the tests. For what dozens of suites inherit. */
  def few(all: Int): Int = if (isSoak) all else math.max(1, all / 8)

  /** All of these in a campaign. In a run of the tests the one whose turn it is, by the number of what it is combined
    * with: over several numbers in a row each comes up.
    */
  def turn[A](all: Seq[A], number: Int): Seq[A] =
    if (isSoak) all else Seq(all(Math.floorMod(number, all.size)))

  /** All of these in a campaign, as many as said in a run of the tests. */
  def some[A](all: Seq[A], few: Int): Seq[A] = if (isSoak) all else all.take(few)
}
