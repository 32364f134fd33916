package io.scalegate.spark.join.stream.state

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

/** The states that this JVM holds of the partitions of streaming joins, so that a batch need not read its windows from
  * the checkpoint. Each belongs to one version of the checkpoint, that of its own task: a batch that finds no state of
  * the version that it starts from reads the checkpoint. Any thread.
  *
  * It holds the last two versions of each partition, until [[retain]] lets go of the partition.
  *
  * @tparam P
  *   names a partition of an operator of a run of a query
  */
final class LiveStates[P] {
  import LiveStates.Version

  private[this] val known = new ConcurrentHashMap[P, Vector[Version]]

  def get(partition: P, number: Long, checkpoint: Option[String]): Option[HeldState] =
    Option(known.get(partition)).flatMap(
      _.find(v => v.number == number && v.checkpoint == checkpoint)
    ).map(_.state)

  /** Keeps the state beside the one that it was made of, which the batch starts from again should it fail. */
  def put(partition: P, number: Long, checkpoint: Option[String], state: HeldState): Unit = {
    known.compute(
      partition,
      (_, versions) => {
        val others = Option(versions).getOrElse(Vector.empty).filter { v =>
          v.number == number - 1 || (v.number == number && v.checkpoint != checkpoint)
        }
        others :+ Version(number, checkpoint, state)
      }
    )
    ()
  }

  /** Lets go of the partitions that are not wanted any more. */
  def retain(wanted: P => Boolean): Unit =
    known.keySet.asScala.filterNot(wanted).foreach(known.remove)

  def size: Int = known.size

  /** About how many bytes they take. A version shares with the one before it all that its batch did not change, so
    * of each partition the largest counts.
    */
  def memory: Long = known.values.asScala.iterator.map(_.iterator.map(_.state.memory).max).sum
}

private object LiveStates {
  final private case class Version(number: Long, checkpoint: Option[String], state: HeldState)
}
