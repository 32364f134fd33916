/** How Spark's suites are shared among JVMs. */
object Suites {

  /** Those that take long, in seconds, while others run beside them: see the end of `make test`. */
  private val seconds = Map(
    "StreamingPanesSuite" -> 140,
    "RealTimeJoinSuite" -> 140,
    "StreamingDefinitionSuite" -> 130,
    "RealTimeWindowsSuite" -> 110,
    "StreamingHotKeysSuite" -> 45,
    "AdaptiveRowsSuite" -> 95,
    "RealTimeCrashSuite" -> 90,
    "StreamingAggregatesSuite" -> 90,
    "MemorySuite" -> 90,
    "StreamingNearestSuite" -> 90,
    "GeneratedRowsSuite" -> 85,
    "PaneRowsSuite" -> 85,
    "IntervalAggregateSuite" -> 85
  )
  private val ofAnother = 12

  /** Shares of about the same length: the longest first, each to the share that is the shortest by then. */
  def shared[T](suites: Seq[T], shares: Int)(names: T => Seq[String]): Seq[Seq[T]] = {
    def length(suite: T) =
      names(suite).map(name => seconds.getOrElse(name.split('.').last, ofAnother)).sum
    val ordered = suites.sortBy(suite => (-length(suite), names(suite).head))
    ordered.foldLeft(Vector.fill(shares)(Vector.empty[T])) { (dealt, suite) =>
      val shortest = dealt.indices.minBy(dealt(_).map(length).sum)
      dealt.updated(shortest, dealt(shortest) :+ suite)
    }
  }
}
