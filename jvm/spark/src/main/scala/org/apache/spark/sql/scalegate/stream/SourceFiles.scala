package org.apache.spark.sql.scalegate.stream

import scala.util.Try

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.{RDD, UnionPartition}
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.util.SerializableConfiguration
import org.apache.spark.{Partition, ShuffleDependency}

import io.scalegate.spark.join.stream.realtime.{KnownSource, KnownSources, SourceFigures}
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.Sides

/** What an operator in Real-Time Mode knows of the tasks that read its inputs, from batch to batch, in [[VersionFiles]]: how
  * far each has come, which it does not say again before its next row. All partitions are told the same, and the first
  * writes it. The driver makes it for a batch; it travels to the tasks, and never changes.
  *
  * @param names
  *   of the sources of each input, in the order of their numbers, which another batch may give to others; none where they
  *   have no names that are their own
  */
final private[scalegate] class SourceFiles(
    info: StatefulOperatorStateInfo,
    conf: Broadcast[SerializableConfiguration],
    names: Sides[Seq[String]]
) extends Serializable {
  private[this] val files = new VersionFiles(info, "sources", conf)

  /** On the driver, before the tasks of a batch: what the one before knew of the sources of each input; none where they
    * have no names.
    *
    * @param retained
    *   batches that the query may be set back by
    */
  def begin(retained: Int): Sides[Seq[KnownSource]] = {
    files.begin(retained)
    files.read().get(SourceFiles.Writer).fold(KnownSources.none) { case (file, text) =>
      KnownSources.parsed(text).fold(
        line => throw Errors.sourceFile(file.toString, line),
        identity
      )
    }.named(info.queryRunId.toString, names)
  }

  /** In a task, before it commits its state. */
  def write(partition: Int, known: Sides[Seq[SourceFigures]]): Unit =
    if (partition == SourceFiles.Writer) {
      val of = Sides.each { side =>
        known(side).flatMap { source =>
          names(side).lift(source.source).map(_ -> KnownSource(source.promised, source.silent))
        }.toMap
      }
      files.write(partition, KnownSources(info.queryRunId.toString, of).text)
    }
}

private object SourceFiles {
  val Writer = 0

  /** What the tasks read that send the rows of an exchange: the names of their partitions of a stream. None where one of
    * them says no name, or two say the same.
    */
  def names(exchanged: RDD[_]): Seq[String] = {
    val found = sending(exchanged).toSeq.flatMap(_.partitions).map(name)
    if (found.forall(_.nonEmpty) && found.distinct.size == found.size) found.flatten else Nil
  }

  private[this] def sending(rows: RDD[_]): Option[RDD[_]] = rows.dependencies match {
    case Seq(exchange: ShuffleDependency[_, _, _]) => Some(exchange.rdd)
    case Seq(one) => sending(one.rdd)
    case _ => None
  }

  /** As Kafka's source has its topic and partition, and Spark's own its number: sources have no common way to say it. */
  private[this] def name(partition: Partition): Option[String] = partition match {
    case of: UnionPartition[_] => name(of.parentPartition).map(s"${of.parentRddIndex} " + _)
    case _ =>
      for {
        input <- value(partition, "inputPartition") orElse value(partition, "inputPartitions")
        named <- (value(input, "offsetRange").flatMap(value(_, "topicPartition"))) orElse
          value(input, "partition")
      } yield named.toString.replace('\n', ' ')
  }

  /** What a public method without parameters gives, or the one thing in what that gives. */
  private[this] def value(of: Any, method: String): Option[Any] =
    Try(of.getClass.getMethod(method).invoke(of)).toOption.flatMap {
      case Some(one) => Some(one)
      case None => None
      case several: Seq[_] => Option.when(several.size == 1)(several.head)
      case one => Option(one)
    }
}
