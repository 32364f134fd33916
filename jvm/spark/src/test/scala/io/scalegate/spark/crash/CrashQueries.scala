package io.scalegate.spark.crash

import java.sql.Timestamp

import scala.util.Random

import io.scalegate.spark.join.stream.Event

/** A query whose machine is to die, and the rows that come to it, step by step.
  *
  * @param mode
  *   its output mode
  * @param hot
  *   one key has so many rows that the driver learns that it is hot
  */
final private[spark] case class CrashQuery(
    name: String,
    text: String,
    mode: String = "append",
    hot: Boolean = false,
    partitions: Int = 1
) {

  /** What is added to both streams, of which the last step decides what became of all rows before. */
  def steps: Seq[(Seq[Event], Seq[Event])] =
    (if (hot) CrashQuery.HotRows else CrashQuery.Rows) :+ CrashQuery.End

  def results(rows: Seq[String]): Seq[String] = rows.filterNot(_.contains("-1")).sorted
}

private[spark] object CrashQuery {
  private def join(how: String, where: String) = {
    val columns =
      if (how.endsWith("SEMI") || how.endsWith("ANTI")) "l.id" else "l.id AS a, r.id AS b"
    s"SELECT $columns FROM l $how JOIN r ON $where AND " +
      "r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND"
  }

  private val windows = "SELECT w.start AS a, k, count(*) AS n, sum(id) AS s FROM " +
    "(SELECT *, window(ts, '4 seconds', '1 second') AS w FROM l) GROUP BY w, k"
  private val objects = windows.replace("count(*)", "collect_set(x) AS xs, count(*)")
  private val key = "l.k = r.k"
  private val band = "abs(l.x - r.x) <= 1"

  val All: Seq[CrashQuery] = Seq(
    CrashQuery("left join by a key", join("LEFT", key), partitions = 2),
    CrashQuery("windows in blocks", windows),
    CrashQuery("full join by a key", join("FULL", key)),
    CrashQuery("inner join by a band", join("INNER", band)),
    CrashQuery("semi join by a key", join("LEFT SEMI", key)),
    CrashQuery("anti join in one task", join("LEFT ANTI", "l.x + r.x = 7")),
    CrashQuery("right join by a band", join("RIGHT", band)),
    CrashQuery("windows one by one, updated", objects, mode = "update"),
    CrashQuery("windows in blocks, complete", windows, mode = "complete"),
    CrashQuery(
      "left join of the last rows",
      "SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON within_rows(l.ts, r.ts, 3) AND l.x < r.x"
    ),
    CrashQuery(
      "as-of join in reach",
      s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON $key AND asof(l.ts, r.ts, 'nearest', INTERVAL 1 SECOND)"
    ),
    CrashQuery(
      "aggregates of the rows around",
      "SELECT l.id AS a, (SELECT sum(q.id) FROM r q WHERE q.k = l.k AND " +
        "q.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND) AS b FROM l"
    ),
    CrashQuery("inner join with a hot key", join("INNER", key), hot = true)
  )

  /** The last step has a late row. */
  private val Rows = {
    val random = new Random(3)
    def some(from: Int, first: Long) = Seq.tabulate(8) { i =>
      val late = if (from > 12000 && i == 0) 9000 else 0
      val at = new Timestamp(from + random.nextInt(2000).toLong - late)
      Event(at, Some(random.nextInt(4)), Some(random.nextInt(6)), first + i)
    }
    Seq.tabulate(3)(b =>
      (some(10000 + 2000 * b, 100L * b), some(10000 + 2000 * b, 100L * b + 50))
    )
  }

  private val HotRows = {
    def some(batch: Int, first: Long) = {
      val (rows, count) = (new Random(first), if (batch < 2) 2300 else 100)
      Seq.tabulate(count) { i =>
        val key = if (rows.nextInt(3) == 0) 7 else 100 + rows.nextInt(900)
        Event((batch + 1) * 200000L + i * 80, key, i % 5, first + i)
      }
    }
    Seq.tabulate(4)(b => (some(b, 100000L * b), some(b, 100000L * b + 50000)))
  }

  private val End = {
    def rows = Seq.tabulate(6)(i => Event(1000000L + i, -1, -100, -1L))
    (rows, rows)
  }
}

/** Where a query keeps its state. */
final private[spark] case class CrashStore(name: String, settings: (String, String)*) {
  def all: Seq[(String, String)] = settings.map { case (k, v) => CrashStore.Prefix + k -> v }
}

private[spark] object CrashStore {
  private val Prefix = "spark.sql.streaming.stateStore."

  private def provider(name: String) = "providerClass" ->
    s"org.apache.spark.sql.execution.streaming.state.${name}StateStoreProvider"
  private def changes(on: Boolean) =
    "rocksdb.changelogCheckpointing.enabled" -> on.toString

  val All: Seq[CrashStore] = Seq(
    CrashStore("HDFS-backed", provider("HDFSBacked")),
    CrashStore("RocksDB", provider("RocksDB"), changes(on = false)),
    CrashStore("RocksDB with a log of changes", provider("RocksDB"), changes(on = true)),
    CrashStore(
      "RocksDB, format 2",
      provider("RocksDB"),
      changes(on = true),
      "checkpointFormatVersion" -> "2"
    )
  )
}
