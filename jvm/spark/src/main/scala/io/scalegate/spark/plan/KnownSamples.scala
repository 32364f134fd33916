package io.scalegate.spark.plan

import scala.util.hashing.MurmurHash3

import org.apache.spark.sql.catalyst.expressions.{Expression, UserDefinedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}

import io.scalegate.spark.settings.BoundedMap

/** Samples that were read lately of files that have not changed since: what a query takes to learn of its inputs counts
  * where it is run again and again. Any thread. It holds the samples that were asked for last, up to `Most`, and of their
  * plans no session, no file and nobody's code.
  *
  * Files that are written anew under their names have other lengths or times. Where they have not, a join may be slower
  * than it could be, and has the same rows.
  */
private[plan] object KnownSamples {
  private[plan] val Most = 64

  /** @param plan
    *   over its columns alone
    * @param files
    *   of their names, lengths and times
    */
  final private case class Key(
      plan: LogicalPlan,
      columns: Seq[String],
      format: String,
      options: Int,
      files: (Int, Int)
  )

  private[this] val known = new BoundedMap[Key, InputSample](Most)

  /** The sample that a plan gives, which is read where it is not known. */
  def getOrRead(plan: LogicalPlan)(read: => Option[InputSample]): Option[InputSample] =
    keyOf(plan).fold(read) { key =>
      synchronized(Option(known.get(key))).orElse {
        val found = read
        found.foreach(sample => synchronized(known.put(key, sample)))
        found
      }
    }

  /** None of what is not to be known again: no files, or rows that somebody's function chooses. */
  private[this] def keyOf(plan: LogicalPlan): Option[Key] = plan.collectLeaves() match {
    case Seq(l: LogicalRelation) if !plan.exists(_.expressions.exists(isOthers)) =>
      l.relation match {
        case HadoopFsRelation(files, _, _, _, format, options) =>
          val overColumns = plan.transform { case _: LogicalRelation => LocalRelation(l.output) }
          Some(Key(
            overColumns.canonicalized,
            l.output.map(_.name),
            format.getClass.getName,
            options.hashCode,
            identity(files)
          ))
        case _ => None
      }
    case _ => None
  }

  private[this] def isOthers(e: Expression) =
    e.exists(_.isInstanceOf[UserDefinedExpression])

  /** Two hashes in which each file counts, in any order. To list them takes what reading a sample of them begins with. */
  private[this] def identity(files: FileIndex): (Int, Int) = {
    val each = files.listFiles(Nil, Nil).flatMap(_.files).map { f =>
      (f.getPath.toString, f.getLen, f.getModificationTime)
    }
    (MurmurHash3.unorderedHash(each), MurmurHash3.unorderedHash(each, each.size))
  }
}
