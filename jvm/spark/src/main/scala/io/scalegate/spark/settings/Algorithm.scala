package io.scalegate.spark.settings

/** A way to run a window join. */
abstract class Algorithm private[settings] (val name: String)

object Algorithm {

  /** The index of a side that every executor gets whole. */
  case object Broadcast extends Algorithm("broadcast")

  /** In each partition, the index of a side's rows. */
  case object Index extends Algorithm("index")

  /** In each partition, a window over both sides' sorted rows. */
  case object Sweep extends Algorithm("sweep")

  /** In each cell of a matrix, a part of both sides' rows: all meet, whatever the condition. */
  case object Matrix extends Algorithm("matrix")

  /** How Spark's tasks join. */
  val own: Seq[Algorithm] = Seq(Broadcast, Index, Sweep, Matrix)

  val all: Seq[Algorithm] = own ++ JoinOperator.all

  /** The choice that is left to the planner. */
  val Auto = "auto"

  val names: Seq[String] = Auto +: all.map(_.name)

  /** None for [[Auto]].
    *
    * @throws java.util.NoSuchElementException
    *   for what is none of [[names]]
    */
  def named(name: String): Option[Algorithm] =
    if (name == Auto) None
    else
      Some(all.find(_.name == name).getOrElse(
        throw new NoSuchElementException(s"no algorithm $name")
      ))
}
