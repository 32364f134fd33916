package io.scalegate.spark.aggregate

/** Which aggregates are planned on panes, and what is left to Spark. */
final class PanePlanSuite extends PaneAggregateSuite {
  private def windowed(aggregates: String, keys: String = ", k", from: String = "r") =
    s"SELECT window$keys, $aggregates FROM $from GROUP BY window(ts, '20 minutes', '5 minutes')$keys"

  test("a sliding window by a key") {
    assertPanes(windowed("count(*), sum(i), max(l)"))
  }

  test("a sliding window without a key") {
    assertPanes(windowed("count(*), min(d)", ""))
  }

  test("a tumbling window is Spark's") {
    assertSparks("SELECT window, count(*) FROM r GROUP BY window(ts, '5 minutes')")
  }

  test("EXPLAIN names windows, panes, keys and functions") {
    val explained =
      spark.sql("EXPLAIN " + windowed("count(*), sum(i)")).head().getString(0)
    assert(explained.contains(
      "PaneWindows windows: 20 minutes every 5 minutes; panes: 5 minutes; keys: [k#"
    ))
    assert(explained.contains("functions: [count(1), sum(i#"))
    assert(!explained.contains("Expand"))
  }

  Seq(
    "DISTINCT" -> windowed("count(DISTINCT i)"),
    "grouping sets" ->
      "SELECT window, k, count(*) FROM r GROUP BY GROUPING SETS ((window(ts, '20 minutes', '5 minutes'), k), (k))",
    "a window's start as the key" ->
      "SELECT w.start, count(*) FROM (SELECT window(ts, '20 minutes', '5 minutes') AS w FROM r) GROUP BY w.start",
    "windows without an aggregate" -> "SELECT window(ts, '20 minutes', '5 minutes') AS w, i FROM r",
    "windows under a filter" ->
      "SELECT w, i FROM (SELECT window(ts, '20 minutes', '5 minutes') AS w, i, k FROM r) WHERE k > 1 AND w.start > '2013-03-10'",
    "a function of the window" -> windowed("max(window.end)"),
    "session windows" -> "SELECT session_window, count(*) FROM r GROUP BY session_window(ts, '5 minutes')"
  ).foreach { case (name, query) =>
    test(s"$name: Spark's plan")(assertSparks(query))
  }
}
