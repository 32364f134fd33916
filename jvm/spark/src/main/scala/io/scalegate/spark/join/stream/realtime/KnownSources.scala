package io.scalegate.spark.join.stream.realtime

import io.scalegate.stream.{Side, Sides}

/** What is known of a task that reads an input, at the end of a batch.
  *
  * @param promised
  *   the event time that it has passed, in microseconds; the least where it has promised nothing yet
  * @param silent
  *   for how long nothing was heard of it, in microseconds
  */
final case class KnownSource(promised: Long, silent: Long)

object KnownSource {

  /** One of which nothing is known. */
  val New: KnownSource = KnownSource(Long.MinValue, 0L)
}

/** What is known of the sources of an operator's inputs, at the end of a batch, by their names.
  *
  * @param run
  *   of the query, whose batch it was
  */
final case class KnownSources(run: String, of: Sides[Map[String, KnownSource]]) {

  /** What is known of the sources of these names at the start of the next batch. While the query did not run nobody
    * listened: what was silent before is none of it after a restart.
    */
  def named(run: String, names: Sides[Seq[String]]): Sides[Seq[KnownSource]] =
    Sides.each { side =>
      names(side).map { name =>
        val known = of(side).getOrElse(name, KnownSource.New)
        if (run == this.run) known else known.copy(silent = 0L)
      }
    }

  def text: String = {
    val lines = for {
      side <- Seq(Side.R, Side.S)
      (name, known) <- of(side).toSeq.sortBy(_._1)
    } yield s"${KnownSources.sideName(side)} ${known.promised} ${known.silent} $name"
    (s"${KnownSources.Version} $run" +: lines).mkString("", "\n", "\n")
  }
}

object KnownSources {
  private val Version = "v1"

  val none: KnownSources = KnownSources("", Sides.each(_ => Map.empty[String, KnownSource]))

  /** What was written as [[KnownSources.text]], or the first line that was not. */
  def parsed(text: String): Either[String, KnownSources] = text.linesIterator.toList match {
    case first :: lines if first.startsWith(s"$Version ") =>
      val (wrong, found) = lines.partitionMap(line => source(line).toRight(line))
      wrong.headOption.toLeft(KnownSources(
        first.drop(Version.length + 1),
        Sides.each(side => found.collect { case (`side`, name, known) => name -> known }.toMap)
      ))
    case other => Left(other.headOption.getOrElse(""))
  }

  private[this] def source(line: String): Option[(Side, String, KnownSource)] =
    line.split(" ", 4) match {
      case Array(sideText, promised, silent, name) =>
        for {
          side <- Seq(Side.R, Side.S).find(sideName(_) == sideText)
          bound <- promised.toLongOption
          time <- silent.toLongOption
        } yield (side, name, KnownSource(bound, time))
      case _ => None
    }

  private def sideName(side: Side) = if (side eq Side.R) "left" else "right"
}
