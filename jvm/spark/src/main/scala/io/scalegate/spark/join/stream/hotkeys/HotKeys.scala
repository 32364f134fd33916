package io.scalegate.spark.join.stream.hotkeys

import io.scalegate.stream.Side

/** The keys of a streaming join whose rows several partitions share, in one batch: hybrid parallelism, PPOIJ §3.3, with
  * a state instead of the paper's buffers. A key is named by its hash, that which decides its home; two keys of
  * one hash are one here.
  *
  * The rows of one side go to one partition each; those of the other, to all replicas of their key, so a pair meets
  * where its row of the first side went, and there alone. No row ever moves. A partition becomes a replica of a key in
  * two steps: first it gets copies, until all rows that it never got a copy of can match no row that is yet to come;
  * then it gets a share. It ceases to be one the other way round.
  *
  * @param single
  *   the side whose rows are not copied. It stays, for copies may be left of keys that were hot; none, while none was
  * @param keys
  *   the replicas of each, without its home
  */
final case class HotKeys(single: Option[Side], keys: Map[Int, Vector[Replica]]) {
  import Replica._

  /** The steps that are due.
    *
    * @param expired
    *   the greatest event time of a row of a side that matches no row of this batch or a later one
    */
  def advanced(expired: Side => Long): HotKeys = changed(single) { (_, r) =>
    r.phase match {
      case Filling(until) if expired(single.get.opposite) >= until =>
        Some(r.copy(phase = Serving))
      case Leaving(until) if expired(single.get) >= until => None
      case _ => Some(r)
    }
  }

  /** With these as the replicas that keys ought to have; who is none any more takes its leave.
    *
    * @param side
    *   not to be copied, if it is not known yet
    * @param wanted
    *   the partitions of a key, its home left out
    * @param latest
    *   the greatest event time of a side's rows that came before this batch and are held
    */
  def towards(side: Side, wanted: Map[Int, Seq[Int]], latest: Side => Long): HotKeys = {
    val uncopied = single.getOrElse(side)
    val present = changed(Some(uncopied)) { (key, r) =>
      if (wanted.get(key).exists(_.contains(r.partition))) Some(stay(r))
      else leave(r, latest(uncopied))
    }
    wanted.foldLeft(present) { case (all, (key, partitions)) =>
      val known = all.keys.getOrElse(key, Vector.empty)
      val fresh = partitions.filterNot(p => known.exists(_.partition == p))
      val replicas = known ++ fresh.map(Replica(_, Filling(latest(uncopied.opposite))))
      if (replicas.isEmpty) all else all.copy(keys = all.keys.updated(key, replicas))
    }
  }

  private[this] def changed(side: Option[Side])(change: (Int, Replica) => Option[Replica]) =
    HotKeys(
      side,
      keys
        .map { case (key, replicas) => key -> replicas.flatMap(change(key, _)) }
        .filter(_._2.nonEmpty)
    )

  /** It has had copies all the time. */
  private[this] def stay(r: Replica): Replica = r.phase match {
    case Leaving(_) => r.copy(phase = Serving)
    case _ => r
  }

  private[this] def leave(r: Replica, latest: Long): Option[Replica] = r.phase match {
    case Leaving(_) => Some(r)
    case Filling(_) => None // it has no row of the single side
    case Serving => Some(r.copy(phase = Leaving(latest)))
  }
}

object HotKeys {
  val none: HotKeys = HotKeys(None, Map.empty)

  /** After the version and the single side, a line for each replica: the key's hash, the partition, the phase, and its
    * time.
    */
  def text(hot: HotKeys): String = {
    val lines = for {
      (key, replicas) <- hot.keys.toSeq.sortBy(_._1)
      r <- replicas
    } yield {
      val phase = r.phase match {
        case Replica.Filling(until) => s"filling $until"
        case Replica.Serving => "serving"
        case Replica.Leaving(until) => s"leaving $until"
      }
      s"$key ${r.partition} $phase"
    }
    (Version +: hot.single.fold("none")(s => if (s eq Side.R) "left" else "right") +: lines)
      .mkString("", "\n", "\n")
  }

  /** @throws java.lang.IllegalArgumentException
    *   with the line that is none of ours
    */
  def parsed(text: String): HotKeys = text.linesIterator.toList match {
    case Version :: side :: lines =>
      val replicas = lines.map(replica)
      HotKeys(sideOf(side), replicas.groupMap(_._1)(_._2).map { case (k, r) => k -> r.toVector })
    case other => refused(other.headOption.getOrElse(""))
  }

  private[this] def sideOf(line: String): Option[Side] = line match {
    case "none" => None
    case "left" => Some(Side.R)
    case "right" => Some(Side.S)
    case other => refused(other)
  }

  private[this] def replica(line: String): (Int, Replica) =
    try
      line.split(' ').toList match {
        case List(key, partition, "filling", until) =>
          key.toInt -> Replica(partition.toInt, Replica.Filling(until.toLong))
        case List(key, partition, "serving") =>
          key.toInt -> Replica(partition.toInt, Replica.Serving)
        case List(key, partition, "leaving", until) =>
          key.toInt -> Replica(partition.toInt, Replica.Leaving(until.toLong))
        case _ => refused(line)
      }
    catch { case _: NumberFormatException => refused(line) }

  private[this] def refused(line: String): Nothing = throw new IllegalArgumentException(line)

  private val Version = "v1"
}
