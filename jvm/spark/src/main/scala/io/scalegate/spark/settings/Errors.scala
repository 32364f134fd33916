package io.scalegate.spark.settings

import org.apache.spark.SparkException
import org.apache.spark.sql.types.DataType

import io.scalegate.lookup.Direction
import io.scalegate.partition.MatrixLayout

/** Every message a user may see from the JVM: what is wrong, and what to write instead. */
object Errors {
  private[this] def bad(message: String): IllegalArgumentException =
    new IllegalArgumentException(message)

  def hintArguments(found: Seq[String]): Exception = bad(
    "WINDOW_JOIN takes no arguments or the names of the two relations to join, and at most one quoted " +
      s"algorithm (${Algorithm.names.mkString(", ")}), one quoted layout of the matrix and, for streams, 'ordered', as in " +
      "/*+ WINDOW_JOIN(r, s) */, /*+ WINDOW_JOIN(r, s, 'index') */ or /*+ WINDOW_JOIN(r, s, 'matrix', '2x3') */; " +
      s"it was given (${found.mkString(", ")})"
  )

  def hintRelations(names: Set[String], known: Seq[String]): Exception = bad(
    s"WINDOW_JOIN(${names.toSeq.sorted.mkString(", ")}) names no two sides of one join of this query; " +
      s"its relations are ${known.distinct.sorted.mkString(", ")}"
  )

  def hintWithoutWindow(condition: String, otherTypes: Seq[String]): Exception = bad(
    "WINDOW_JOIN needs, where rows have equal keys, a condition that bounds a difference between the two sides " +
      "from below and from above, such as s.ts BETWEEN r.ts - INTERVAL 5 MINUTES AND r.ts or abs(r.x - s.x) <= 10, or one that " +
      "intervals overlap, such as r.ts BETWEEN s.start AND s.end. " +
      s"This condition has none: $condition. Times and bands may be integers, decimals of up to 18 digits in all, " +
      "floating-point numbers, dates and timestamps of the same kind on both sides" +
      (if (otherTypes.isEmpty) ""
       else s", to which you must cast others (${otherTypes.mkString(", ")})") +
      "; bands over integer arithmetic need spark.sql.ansi.enabled. Without the hint Spark joins by the keys"
  )

  def hintAnsiErrors(condition: String): Exception = bad(
    s"WINDOW_JOIN cannot run this join while ${ScaleGateConf.AnsiErrors} is true: $condition may end in an error, " +
      "which Spark meets on pairs that no bound lets through. Set it to false, write what cannot fail " +
      "(try_cast, try_subtract), or remove the hint"
  )

  def cubeArguments(found: Seq[String]): Exception = bad(
    "CUBE_JOIN takes nothing, or a layout of three numbers whose product is at most " +
      s"${MatrixLayout.MostWorkers}, as in /*+ CUBE_JOIN('2x1x1') */; it was given (${found.mkString(", ")})"
  )

  def cubeInputs(found: Int): Exception = bad(
    s"CUBE_JOIN is said of an inner join of three inputs, and this is one of $found: write FROM a, b, c WHERE ..., or leave " +
      "the hint out"
  )

  def cubeStreaming(streams: Int): Exception = bad(
    s"CUBE_JOIN joins three batches or three streams, and $streams of these inputs are streams: join a stream with the " +
      "table first, or leave the hint out"
  )

  def cubeStreamTime(time: String): Exception = bad(
    s"CUBE_JOIN goes by the watermarks of three streams, and $time has none: call withWatermark(time, delay) on a " +
      "timestamp column of each input, and bound the differences of these columns"
  )

  def cubeCondition(condition: String): Exception = bad(
    s"CUBE_JOIN cannot evaluate $condition on its threads, for it may give another answer each time: put it into a " +
      "filter above the join"
  )

  def cubeTimes: Exception = bad(
    "CUBE_JOIN needs a window between the times of its inputs, and no times of all three are bounded by each other: write " +
      "two bounds at least that share a column. Differences of numbers, which wrap without it, need spark.sql.ansi.enabled"
  )

  def layoutSize(found: String): Exception = bad(
    s"a layout of ${found.trim} cells is none: give rows and columns from 1 on, and no more than " +
      s"${MatrixLayout.MostWorkers} cells in all, as in '2x3'; each is a task"
  )

  def layoutOfOther(layout: MatrixLayout, algorithm: String): Exception = bad(
    s"WINDOW_JOIN was given the layout $layout and the algorithm '$algorithm', which has none: ask for '" +
      s"${Algorithm.Matrix.name}', or leave the layout out"
  )

  def hintLayout(layout: MatrixLayout, why: String): Exception = bad(
    s"WINDOW_JOIN cannot run this join in a matrix of $layout cells: $why. Ask for another layout, or leave it out"
  )

  def hintAlgorithm(name: String, why: String): Exception = bad(
    s"WINDOW_JOIN('$name') cannot run this join: $why. Ask for another of " +
      s"${Algorithm.names.mkString(", ")}, or leave the choice out"
  )

  def operatorOption(operator: TakesOptions, said: String): Exception = bad(
    s"the operator '${operator.name}' has no option '$said': " +
      s"it takes ${operator.takes.mkString(", ")}, as in '${operator.name}(${operator.takes.head}=…)'"
  )

  def operatorValue(
      operator: TakesOptions,
      option: OperatorOption[_],
      value: String
  ): Exception = bad(
    s"'${operator.name}($option=$value)': $option is ${option.takes}"
  )

  def operatorOptionTwice(operator: TakesOptions, option: OperatorOption[_]): Exception = bad(
    s"'${operator.name}' is given $option twice: say it once"
  )

  def operatorLayoutAndThreads(operator: TakesOptions): Exception = bad(
    s"'${operator.name}' is given a layout and threads: each cell of a layout is a worker, so say one of the two"
  )

  def designUnknown(found: String): Exception = bad(
    s"WINDOW_DESIGN('$found') names no design of the papers: it is one of ${WindowDesign.all.map(_.name).mkString(", ")}, " +
      "with options as in 'tumlmc(threads=2)'"
  )

  def designArguments(found: Seq[String]): Exception = bad(
    "WINDOW_DESIGN takes the quoted name of one design, " +
      s"${WindowDesign.all.map(_.name).mkString(", ")}, as in /*+ WINDOW_DESIGN('wiml') */; it was given (" +
      s"${found.mkString(", ")})"
  )

  def designCannot(design: String, why: String): Exception = bad(
    s"WINDOW_DESIGN('$design') cannot run this aggregate: $why. Leave the design out, and panes or Spark compute it"
  )

  def optionsOfNone(name: String): Exception = bad(
    s"'$name' takes no options: those of the papers' operators do, as in 'scalejoin(threads=4)'"
  )

  def joinMetricsArguments(found: Seq[String]): Exception = bad(
    "JOIN_METRICS tells figures per 'operator', as without an argument, or per 'task'; it was given " +
      s"(${found.mkString(", ")})"
  )

  def notRun(most: Int): Exception = bad(
    "no figures are known of this frame's joins: run it first, as by collect, count or a write in this application, with " +
      s"a join that scalegate runs; the last $most queries with such joins are remembered"
  )

  def hintJoinType(joinType: String): Exception = bad(
    "WINDOW_JOIN runs inner, left, right, full, semi and anti joins; this is a " +
      s"${joinType.toLowerCase(java.util.Locale.ROOT)} join. Remove the hint, and Spark plans the join itself"
  )

  def hintFullJoin(why: String): Exception = bad(
    "WINDOW_JOIN runs a full join without an equality key as two joins, which both read its inputs, and this one cannot " +
      s"be: $why. Write the input to a table or a checkpoint first, or remove the hint, and Spark plans the join itself"
  )

  def orderedBatch: Exception = bad(
    "WINDOW_JOIN('ordered') orders the rows of a join of two streams; order those of a batch join by what you like " +
      "with ORDER BY"
  )

  def streamAlgorithm(name: String): Exception = bad(
    s"WINDOW_JOIN('$name') cannot join two streams: their windows are indexed, so ask for " +
      s"'${Algorithm.Index.name}', for a layout of cells, as in '2x3', for an operator of the papers, as in " +
      s"'${JoinOperator.Pim.name}', or leave the choice out"
  )

  def streamOperator(name: String, why: String): Exception = bad(
    s"the operator '$name' cannot join these two streams: $why"
  )

  def streamLayout: Exception = bad(
    s"WINDOW_JOIN('${Algorithm.Matrix.name}') of two streams needs its layout, as in '2x3', for it stays that of the " +
      "query's checkpoint"
  )

  def streamLayoutOf(what: String): Exception = bad(
    s"WINDOW_JOIN cannot share this join of two streams among a matrix of cells: $what. Leave the layout out"
  )

  def streamWithoutWatermark(sides: Seq[String]): Exception = bad(
    s"this join of two streams would keep every row for ever: its ${sides.mkString(" and its ")} input " +
      "has no watermark. Call withWatermark(time, delay) on a timestamp column of each input, and bound the " +
      "difference between the two, such as s.ts BETWEEN r.ts - INTERVAL 5 MINUTES AND r.ts"
  )

  def streamWithoutBound(left: String, right: String): Exception = bad(
    "this join of two streams would keep every row for ever: its condition does not bound the difference between " +
      s"the event times $left of the left input and $right of the right one from below and from above. Add a " +
      s"condition such as r.$right BETWEEN l.$left - INTERVAL 5 MINUTES AND l.$left + INTERVAL 5 MINUTES, or let the " +
      s"rows themselves say how long they last: l.$left <= r.until AND r.$right <= l.until"
  )

  def streamRowTimes(window: String, left: String, right: String): Exception = bad(
    s"$window counts the rows of two streams in the order of times that no watermark closes: give it the event times, " +
      s"$left of the left input and $right of the right one"
  )

  def streamCondition(condition: String): Exception = bad(
    "a join of two streams needs a condition that gives the same answer each time, and no subquery but one that gives " +
      "one value of tables at rest, such as (SELECT max(id) FROM known); filter an input before the join, or the " +
      s"joined rows in a WHERE of their own. The condition is: $condition"
  )

  def streamMode(join: String, mode: String): Exception = bad(
    s"the ${join.toLowerCase(java.util.Locale.ROOT)} of streams cannot be written in $mode mode, for a row " +
      "that it gives is never taken back; use outputMode append"
  )

  def realTimeRelease(release: String): Exception = bad(
    s"a join of two streams runs under trigger(realTime=...) from Spark 4.3 on, and this is Spark $release: install " +
      "pyspark 4.3 or later, or use trigger(processingTime='0 seconds')"
  )

  def realTimeSetting(setting: String): Exception = bad(
    s"under trigger(realTime=...) Spark refuses the operators of every package while $setting is true: start the " +
      "session with scalegate.configure(builder, real_time=True), or set it to false. What else of a query Spark does " +
      "not allow there is refused as before"
  )

  def realTimeOperator(what: String): Exception = bad(
    s"$what does not run under trigger(realTime=...): use trigger(processingTime='0 seconds')"
  )

  def realTimeWindows: Exception = bad(
    "windows that are given once, when they are through, need a watermark on their time under trigger(realTime=...): call " +
      "withWatermark on the stream, or have them given at each change, by WINDOW_EMIT('update')"
  )

  def emitArguments(found: Seq[String]): Exception = bad(
    s"WINDOW_EMIT takes ${WindowEmission.all.map(e => s"'$e'").mkString(" or ")}, as in /*+ WINDOW_EMIT('final') */; it " +
      s"was given (${found.mkString(", ")})"
  )

  def emitCannot(emission: WindowEmission): Exception = bad(
    s"WINDOW_EMIT('$emission') is said of no aggregate that can be run so under trigger(realTime=...): it must be grouped " +
      "by window(time, size) or window(time, size, slide), and its functions must have partial results that merge, which " +
      "those of DISTINCT values have not. Leave the hint out, and Spark computes it"
  )

  def realTimeHotKeys(keys: Int, setting: String): Exception = bad(
    s"several partitions share the rows of $keys keys of this checkpoint's join, which they do not under " +
      s"trigger(realTime=...): run the query in batches with $setting=false until its progress says hotKeys = 0"
  )

  def answersTime(what: String, side: String, time: String): Exception = bad(
    s"an $what of two streams goes by their watermarks: call withWatermark(time, delay) on a timestamp column of each " +
      s"input and let it compare these columns. The $side input's is $time, which has none"
  )

  def answersKey(what: String, key: String): Exception = bad(
    s"an $what of two streams needs keys whose equal values are the same bytes, and $key is none: cast it"
  )

  def streamUpdatedInput: Exception = bad(
    "this join of two streams has an aggregate below it, and in update mode an aggregate gives a group again whenever it " +
      "changes: the group would be joined once for each time. Use outputMode append, in which it is given once"
  )

  def streamRowKeys(window: String): Exception = bad(
    s"$window counts the rows of each key of two streams, and of each pair of keys that it is given one has to be of the left " +
      "input and one of the right, of a type whose equal values are the same bytes"
  )

  def streamRowsWatermark(window: String, above: String): Exception = bad(
    s"above $window, a window of rows over two streams, $above would never give a row: it waits for a watermark, and of " +
      "pairs whose earlier row may be of any age none can be promised. Write the joined rows to a table and read them in " +
      "a second query, count in outputMode update, or join within a time"
  )

  def streamIntervalOrder: Exception = bad(
    "a join of two streams whose bounds are columns gives its rows as they are found: leave out ordered, or bound the " +
      "difference of the event times by an interval"
  )

  def streamIntervalsWatermark(condition: String, above: String): Exception = bad(
    s"above a join of two streams whose bounds are columns $above waits for the watermark, which cannot be promised of its " +
      s"rows, for an interval may be of any length: $condition. Bound the difference of the event times, too, as in " +
      "r.ts BETWEEN l.ts - INTERVAL 1 DAY AND l.ts + INTERVAL 1 DAY"
  )

  def streamOneWatermark: Exception = bad(
    "this query has a join of two streams and another stateful operator, and with " +
      "spark.sql.streaming.statefulOperator.allowMultiple=false all of them go by one watermark: rows that one gives when " +
      "its window closes would be too late for the next. Leave that setting at true, or write the first operator's rows to " +
      "a table and read them in a second query"
  )

  def streamEncoding(encoding: String): Exception = bad(
    s"joins of two streams keep their state in Spark's binary rows, and ${ScaleGateConf.StateEncoding} is $encoding: set it " +
      s"to ${ScaleGateConf.BinaryState} for this query"
  )

  def stateSide(found: String): Exception = bad(
    s"the state of a streaming join is that of its 'left' or its 'right' side, not '$found'"
  )

  def stateOfOther(checkpoint: String, operator: Int): Exception = bad(
    s"operator $operator of the checkpoint $checkpoint is no streaming window join; read its state with " +
      "spark.read.format(\"statestore\")"
  )

  def stateArguments(found: Seq[String]): Exception = bad(
    "join_state takes a query's checkpoint, 'left' or 'right' and, if you like, the number of the operator, as in " +
      s"join_state('/checkpoints/query', 'left', 0); it was given (${found.mkString(", ")})"
  )

  def metricsArguments(found: Seq[String]): Exception = bad(
    "stream_metrics takes the run id of a query and, if you like, 'operator', 'task' or 'source', as in " +
      s"stream_metrics('f2b5...', 'task'); it was given (${found.mkString(", ")})"
  )

  def metricsPer(found: String): Exception = bad(
    s"stream_metrics tells its figures per 'operator', 'task' or 'source', not per '$found'"
  )

  def noMetrics(run: String): Exception = bad(
    s"no query with the run id '$run' runs in this session, or has joined streams in Real-Time Mode in it: take " +
      "query.runId, which every start of a query has anew"
  )

  def otherCheckpoint(
      operator: String,
      file: String,
      differing: Seq[(String, String, String)]
  ): Exception =
    new SparkException(
      s"this checkpoint was written by another $operator, and its state is of no use to this one: " +
        differing.map { case (name, before, now) => s"$name was [$before] and is [$now]" }
          .mkString("; ") +
        s". Start with a new checkpoint, or restore the query. What the state was made by is in $file"
    )

  def stateOfAnother(store: String): Exception = new SparkException(
    s"the state of a streaming join, $store, holds rows of another operator: the query has its operators in another " +
      "order than the one that wrote the checkpoint. Restore the query, or start with a new checkpoint"
  )

  def reachedFile(file: String, text: String): Exception = bad(
    s"$file of the checkpoint does not hold an event time in microseconds but '${text.take(40)}': restore the checkpoint " +
      "from a copy, or start the query with another checkpoint"
  )

  def sourceFile(file: String, line: String): Exception = bad(
    s"$file, which says how far the sources of a query in Real-Time Mode have come, cannot be read at '${line.take(40)}': " +
      "restore the checkpoint from a copy, or start the query with another checkpoint"
  )

  def hotKeyFile(file: String, cause: Exception): Exception = new SparkException(
    s"$file, which says among which partitions a streaming join's hot keys are shared, cannot be read at " +
      s"'${cause.getMessage}'. Restore the file, or start with a new checkpoint",
    cause
  )

  def timeTypes(left: DataType, right: DataType): String =
    "the times of both sides must be of one kind, both timestamps, both timestamps without time zone, " +
      s"both dates or both integers; these are ${left.sql} and ${right.sql}. Cast one of them"

  def rowCount(found: String): Exception = bad(
    "within_rows needs a whole number of at least 1 as its third argument, or array(a, b): the last rows of the first " +
      s"time's side and those of the second's, at least 0 each and not both 0. It was given $found"
  )

  def threadCount(most: Int)(found: String): Exception = bad(
    "within_rows needs a whole number of threads from 1 to " +
      s"$most as its fourth argument, not $found; without one it takes " +
      s"${ScaleGateConf.CellThreads}, or an executor's cores. A key, by which rows are counted, is two arguments, one " +
      "of each side: within_rows(l.ts, r.ts, 10, l.k, r.k)"
  )

  def withinRowsArguments(count: Int): Exception = bad(
    "within_rows takes 3 or 4 arguments: left time, right time, a number of rows and, if you like, a number " +
      "of threads; or, to count the rows of each key, a left key and a right key after the number of rows, and as many " +
      s"more such pairs as there are keys; it was given $count"
  )

  def withinRowsMisplaced(where: String): Exception = bad(
    "within_rows(left_time, right_time, n) must be one of the AND-ed conditions of a join of two " +
      s"batch inputs, with ${ScaleGateConf.Enabled} on, its first time from one side and its second from " +
      s"the other, and so the two columns of each key that it is given; here it stands in $where"
  )

  def withinRowsPython(condition: String): Exception = bad(
    s"the condition of a join over a window of rows calls a Python function where it cannot, in a subquery that depends on " +
      s"the rows around it, or one that may give another answer each time: $condition. Compute it as a column of one side " +
      "first"
  )

  def asOfArguments(name: String, count: Int): Exception = bad(
    s"$name was given $count arguments: write asof(left_time, right_time, 'backward', INTERVAL 5 SECONDS) or, for more " +
      "than one row, nearest(left_time, right_time, 3); what comes after the times and the number of rows may be left out"
  )

  def asOfDirection(found: String): Exception = bad(
    "the direction of an as-of join is a constant, " +
      s"${Direction.all.map(d => s"'$d'").mkString(" or ")}, and not $found"
  )

  def asOfTolerance(found: String): Exception = bad(
    "the tolerance of an as-of join is a constant of at least zero, an interval for times and dates, as in " +
      s"INTERVAL 5 SECONDS, or a number, or NULL for none; it is $found"
  )

  def asOfExact(found: String): Exception = bad(
    "whether rows of equal times match (allow_exact) is true or false, a constant, and not " + found
  )

  def nearestRows(most: Int, found: String): Exception = bad(
    s"nearest needs a constant whole number of rows from 1 to $most as its third argument, not $found"
  )

  def asOfTypes(left: DataType, right: DataType): String =
    "the times of an as-of join must be of one kind: timestamps, dates, numbers (decimals of up to 18 digits) or " +
      s"day-time intervals; these are compared as ${left.sql} and ${right.sql}. Cast them"

  def asOfSides(left: String, right: String): Exception = bad(
    "the first time of an as-of join is of the left side of the join alone and the second of the right one; these are " +
      s"$left and $right. Swap them, or the sides"
  )

  def asOfTies(found: String): Exception = bad(
    s"ties are told apart by columns of the right side of an as-of join; $found is none"
  )

  def asOfJoinType(joinType: String): Exception = bad(
    "an as-of join gives rows for those of its left side: it is an inner, left, semi or anti join, and this is a " +
      s"${joinType.toLowerCase(java.util.Locale.ROOT)} join. Swap the sides of a right join"
  )

  def asOfStream: Exception = bad(
    "the right side of an as-of join is a stream and the left one is not: no row of a table has its answer before the " +
      "stream ends. Join two streams, or a stream on the left with a table"
  )

  def asOfStreamTolerance(direction: String): Exception = bad(
    s"looking $direction, an as-of join of two streams would hold a left row until a right one comes, if ever: give it a " +
      s"tolerance of at most days, as in asof(l.ts, r.ts, '$direction', INTERVAL 5 SECONDS) or tolerance=\"5 seconds\""
  )

  def asOfStreamCondition(condition: String): Exception = bad(
    "an as-of join of two streams would keep every right row for ever, since a condition beside the times may pass over " +
      s"any of the later ones: $condition. Give it a tolerance, as in asof(l.ts, r.ts, 'backward', INTERVAL 5 SECONDS)"
  )

  def asOfStreamAbove(column: String, above: String): Exception = bad(
    s"above an as-of join of two streams $above goes by $column, the time of right rows, which without a tolerance may be " +
      "of any age: no watermark can be promised of it. Use the left side's time, or give the join a tolerance"
  )

  def asOfPython(condition: String): Exception = bad(
    "the condition of an as-of join calls a Python function where it cannot, in a subquery that depends on the rows " +
      s"around it, or one that may give another answer each time: $condition. Compute it as a column of one side first"
  )

  def asOfSubquery(condition: String): Exception = bad(
    s"the condition of an as-of join has a subquery that depends on its rows: $condition. Join with that query first"
  )

  def markerCorrelated(join: String, column: String): Exception = bad(
    s"$join stands in a subquery in which it depends on a column of the outer query, $column: which rows are joined " +
      "would be another question for each outer row. Say what the column must be above the join, in the subquery's WHERE, or " +
      "join with the outer query's rows first"
  )

  def asOfMisplaced(where: String): Exception = bad(
    "asof(left_time, right_time) and nearest(left_time, right_time, k) stand once among the AND-ed conditions of a join, " +
      s"behind its ON, with ${ScaleGateConf.Enabled} on; here is one in $where"
  )

  def pythonStream(condition: String): Exception = bad(
    "a Python function of both sides decides which rows of a stream match nothing where it cannot, with an operator of " +
      s"the papers, beside a table above an operator with a state, or in Real-Time Mode: $condition. Join two streams in " +
      "micro-batches, without such a hint, compute it as a column of one side first, or write it with Spark's own functions"
  )

  def pythonReadOnce(setting: String): Exception = bad(
    s"a join whose condition calls a Python function reads an input once for two operators, and $setting is off: turn it on"
  )

  def windowTooLarge(rows: Long, bytes: Long): Exception = new SparkException(
    s"WindowJoin: the rows of one window do not fit in the task's memory: $rows rows, about $bytes " +
      "bytes. Narrow the window or the bands, add an equality key, raise spark.executor.memory (or " +
      "spark.driver.memory in local mode), or run fewer tasks at once"
  )

  def touchedTooLarge(panes: Long): Exception = new SparkException(
    s"PaneWindows: the panes that one batch of a stream has rows of do not fit in a task's memory: it is full at $panes " +
      "panes. Take less in a batch (maxFilesPerTrigger, maxOffsetsPerTrigger), start the query with more " +
      "spark.sql.shuffle.partitions, write in append mode, or raise spark.executor.memory (spark.driver.memory in local mode)"
  )

  def panesTooLarge(panes: Int, bytes: Long): Exception = new SparkException(
    s"PaneWindows: the partial results of one window do not fit in the task's memory: $panes panes, about $bytes " +
      "bytes. Shorten the window or lengthen its slide, add a key, leave out functions whose results grow with the " +
      "rows (collect_list, percentile), or raise spark.executor.memory (spark.driver.memory in local mode)"
  )

  def intervalStatesTooLarge(rows: Long, bytes: Long): Exception = new SparkException(
    s"IntervalAggregate: the partial results of one interval do not fit in the task's memory: $rows rows, about $bytes " +
      "bytes. Shorten the interval, add a key, leave out functions whose results grow with the rows (collect_list, " +
      "percentile), or raise spark.executor.memory (spark.driver.memory in local mode)"
  )

  def prevailingArguments(name: String, count: Int): Exception = bad(
    s"$name was given $count arguments: write prevailing(left_time, right_time, INTERVAL -5 SECONDS) or, for an interval " +
      "that does not end at the left time, prevailing(left_time, right_time, INTERVAL -5 SECONDS, INTERVAL 2 SECONDS)"
  )

  def prevailingMisplaced(where: String): Exception = bad(
    "prevailing(left_time, right_time, lower, upper) stands once among the AND-ed conditions of a lateral or scalar " +
      "subquery that aggregates its rows by functions of Spark that merge, none of them DISTINCT; beside it equal " +
      "columns of both, and conditions on the subquery's own columns. Its bounds are constants, not whole days of " +
      s"timestamps. It stands in $where"
  )

  def intervalAggregateCondition(condition: String): Exception = new IllegalStateException(
    s"no interval can be read of $condition any more, which the optimizer has changed"
  )

  def intervalAggregateStream: Exception = bad(
    "a subquery of a stream for each row of another is run where it aggregates, by functions that Spark can merge, the " +
      "rows with equal columns and a time in an interval around the outer row's, as in SELECT count(*) FROM r WHERE r.k = " +
      "l.k AND r.ts BETWEEN l.ts - INTERVAL 5 SECONDS AND l.ts. Else join the streams and aggregate the pairs"
  )

  def intervalAggregateStreamLeft: Exception = bad(
    "a subquery of a stream for each row of a table would never give a row its answer, for the stream does not end. Use a " +
      "stream on both sides, or a table in the subquery"
  )

  def intervalAggregateStreamEnds(condition: String): Exception = bad(
    "aggregates of the rows of a stream around each row of another need an interval with both ends, or rows would be held " +
      s"for ever: $condition"
  )

  def byTimeArguments(name: String, count: Int): Exception = bad(
    s"$name takes 2 arguments, the value and its time, as in $name(price, ts); it was given $count"
  )

  def windowOutOfRange(micros: Long, windows: String): Exception = new ArithmeticException(
    s"the time $micros, in microseconds since 1970, lies so near the end of the range of timestamps that one of its " +
      s"windows ($windows) begins or ends outside of it. Leave such rows out, with a WHERE on the time"
  )
}
