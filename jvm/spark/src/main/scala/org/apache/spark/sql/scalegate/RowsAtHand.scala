package org.apache.spark.sql.scalegate

import org.apache.spark.NarrowDependency
import org.apache.spark.rdd.{ParallelCollectionRDD, RDD}

/** Whether an RDD's rows can be read twice without what they are made of being computed twice: they are a collection of
  * the driver's, or lie in a checkpoint, and each partition is read from one of theirs. Any thread.
  */
object RowsAtHand {
  def of(rdd: RDD[_]): Boolean =
    rdd.isCheckpointed || rdd.isInstanceOf[ParallelCollectionRDD[_]] ||
      rdd.dependencies.nonEmpty && rdd.dependencies.forall {
        case narrow: NarrowDependency[_] => of(narrow.rdd)
        case _ => false
      }
}
