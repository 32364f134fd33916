package io.scalegate.spark.crash

import scala.util.Random
import scala.util.hashing.MurmurHash3

/** Streaming queries on a machine that dies at any operation on the files of their checkpoints, and is started again:
  * nothing is lost, nothing given twice to a sink that writes a batch once, and a batch that runs again has the rows
  * that it had.
  *
  * With `SCALEGATE_SOAK` it goes through all operations of all queries over all state stores and prints the table of
  * the docs; otherwise through a sample of two, by `SCALEGATE_SEED`. All take hours: `SCALEGATE_CRASH_PART=2/10` is the
  * third of ten parts, which are the same in every run and together are all.
  */
final class StreamingCrashSuite extends CrashedStreams {
  private val seed = seeded(System.nanoTime)
  private val (part, parts) =
    sys.env.get("SCALEGATE_CRASH_PART").map(_.split("/").map(_.toInt)).fold((0, 1)) {
      split => (split(0), split(1))
    }

  private def some[T](all: Seq[T], count: Int, random: Random) =
    random.shuffle(all.toVector).take(count)

  private def isOfPart(text: String) =
    Math.floorMod(MurmurHash3.stringHash(text), parts) == part

  /** The points that are tried, each with its part of the query: the same of a case, whichever others are run. */
  private def chosen(
      all: Seq[(CrashPart, CrashPoint)],
      random: Random
  ): Seq[(CrashPart, CrashPoint)] =
    if (isSoak)
      all.filter { case (whole, point) => isOfPart(s"${whole.steps} $point") }
    else {
      val (state, others) = all.partition(_._2.isOfState)
      some(others, 1, random) ++ some(state, 1, random)
    }

  private def differences(whole: CrashWhole, result: CrashOutcome): Seq[String] = {
    def compare(what: String, is: Seq[String], was: Seq[String]) = Seq(
      s"$what lost: ${was.diff(is).take(5)}" -> was.diff(is),
      s"$what doubled: ${is.diff(was).take(5)}" -> is.diff(was)
    ).collect { case (text, rows) if rows.nonEmpty => text }
    compare("rows", result.written.rows, whole.written.rows) ++
      compare("late rows", result.written.late, whole.written.late) ++
      result.again.map(id => s"batch $id had other rows the second time")
  }

  /** A line of the table, and what was other than without a death. */
  private def check(query: CrashQuery, in: CrashStore): Unit = {
    val without = whole(query, in)
    assert(without.written.rows.nonEmpty)
    val all = without.parts.flatMap(part => part.points.map(part -> _))
    val random = new Random(seed + s"${query.name}, ${in.name}".hashCode)
    val tried = chosen(all, random).map { case (part, point) =>
      val result =
        try Right(outcome(query, in, part, point))
        catch { case e: Exception => Left(e) }
      (part, point, result)
    }
    val wrong = tried.flatMap {
      case (part, point, Right(r)) =>
        differences(without, r).map(d => s"$point in ${part.steps}: $d")
      case (part, point, Left(e)) =>
        Seq(s"$point in ${part.steps}: ${causes(e).map(_.toString.take(300)).mkString(" < ")}")
    }
    val outcomes = tried.flatMap(_._3.toOption)
    info(s"| ${query.name} | ${in.name} | ${all.size} | ${tried.size} | " +
      s"${outcomes.count(_.deaths > 0)} | ${outcomes.count(_.asked)} | ${wrong.size} |")
    assert(wrong.isEmpty, s"SCALEGATE_SEED=$seed\n${wrong.mkString("\n")}")
  }

  private val cases = for (in <- CrashStore.All; query <- CrashQuery.All) yield (query, in)
  private def sample = some(cases.filterNot(_._1.hot), 2, new Random(seed))

  info("| query | state | operations, before and after | tried | died | new checkpoint | wrong |")
  for ((query, in) <- if (isSoak) cases else sample)
    test(s"no row is lost or doubled when the machine dies: ${query.name}, ${in.name}") {
      check(query, in)
    }

  test("the rows of a query on a machine that does not die are those of the rows at rest") {
    // Of an inner join, to which the late rows would add nothing.
    val query = CrashQuery.All.find(_.name.startsWith("inner")).get
    val all = query.steps
    val atRest = batchResult(query.text, all.flatMap(_._1), all.flatMap(_._2))
    assert(whole(query, CrashStore.All.head).written.rows == query.results(atRest))
  }
}
