package io.scalegate.spark.around

/** A query as a tree. Every node gives the same four columns, `a` and `b` BIGINT, `t` TIMESTAMP and `v` STRING, so that
  * any may stand above any, and that a node may be replaced by one of its inputs.
  *
  * @param label
  *   what a failure calls it
  * @param inputs
  *   the nodes below
  * @param simpler
  *   queries to try in its place where a failure is to be made smaller, beside its inputs
  * @param text
  *   its SQL, from that of its inputs
  */
final class Query(
    val label: String,
    val inputs: Seq[Query],
    val simpler: Seq[Query],
    text: (Rendering, Seq[String]) => String
) {
  def sql(in: Rendering): String = text(in, inputs.map(_.sql(in)))

  /** This query with one of its nodes made simpler, in every way. */
  def shrunk: Iterator[Query] =
    inputs.iterator ++ simpler.iterator ++ inputs.indices.iterator.flatMap { i =>
      inputs(i).shrunk.map(less => new Query(label, inputs.updated(i, less), Nil, text))
    }

  def labels: Seq[String] = label +: inputs.flatMap(_.labels)

  def size: Int = 1 + inputs.map(_.size).sum
}

object Query {
  def apply(label: String, inputs: Query*)(text: (Rendering, Seq[String]) => String): Query =
    new Query(label, inputs, Nil, text)
}

/** What a query needs where it is written down. */
trait Rendering {

  /** Whether plain Spark runs it. */
  def isPlain: Boolean

  /** A name that no other has. */
  def fresh(prefix: String): String

  /** Runs a query, keeps its rows in one of [[Rendering.Kept]] ways, and gives a name to read them by. */
  def keep(how: String, sql: String): String
}

object Rendering {
  val Kept: Seq[String] = Seq(
    "cached",
    "view",
    "local checkpoint",
    "checkpoint",
    "written",
    "collected",
    "mapped",
    "mapped by partition",
    "grouped by a function",
    "sampled"
  )

  /** For people to read. */
  def shown(query: Query): String = query.sql(new Rendering {
    private[this] var names = 0
    def isPlain: Boolean = false
    def fresh(prefix: String): String = {
      names += 1
      s"$prefix$names"
    }
    def keep(how: String, sql: String): String = s"(/* $how */ $sql)"
  })
}

/** How the rows are taken from the query at the top, and what is known of them then. */
sealed abstract class Taken(val name: String)

object Taken {

  /** As a bag. */
  case object All extends Taken("all")

  /** In a total order. */
  final case class Ordered(descending: Boolean) extends Taken("in order")

  /** Any so many of them. */
  final case class Some(rows: Int, how: String) extends Taken(how)

  /** The last of a total order. */
  final case class Last(rows: Int) extends Taken("tail")

  /** The first of a total order. */
  final case class First(rows: Int) extends Taken("first")

  /** All of them, in one of [[Ways]]. */
  final case class Otherwise(way: String) extends Taken(way)

  val Ways: Seq[String] =
    Seq("counted", "asked for one", "iterated", "as RDD", "for each", "reduced")

  val Hows: Seq[String] = Seq("limit", "take", "limit in SQL", "limit twice")
}

/** A query under settings. */
final case class Case(query: Query, taken: Taken, settings: Map[String, String]) {

  /** Cases that are simpler. */
  def shrunk: Iterator[Case] =
    query.shrunk.map(q => copy(query = q)) ++
      settings.keysIterator.map(k => copy(settings = settings - k)) ++
      (if (taken == Taken.All) Iterator.empty else Iterator(copy(taken = Taken.All)))

  override def toString: String =
    s"rows taken: $taken\n  settings: ${settings.toSeq.sorted.map { case (k, v) => s"$k=$v" }.mkString(", ")}\n  " +
      Rendering.shown(query)
}
