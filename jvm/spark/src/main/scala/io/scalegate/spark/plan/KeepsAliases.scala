package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.util.collection.BitSet

/** A join of this package. It says that there are no aliases below. Spark takes away those that only rename, but of a
  * Join's side none that the other side has the column of: an input that is joined with itself under other names would
  * have the same columns twice.
  */
trait KeepsAliases extends LogicalPlan {
  override def getDefaultTreePatternBits: BitSet = {
    val bits = super.getDefaultTreePatternBits
    bits.unset(TreePattern.ALIAS.id)
    bits
  }
}
