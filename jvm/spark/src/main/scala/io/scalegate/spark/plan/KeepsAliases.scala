package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.util.collection.BitSet

/** A join of this package. It says that there are no aliases below. Spark takes away those that only rename, but of a
  * Join's side none that the other side has the column of: an input that is joined with itself under other names would
  * have the same columns twice. A subquery in its condition has aliases, too, which are nothing to those of its inputs.
  */
trait KeepsAliases extends LogicalPlan {
  @transient override lazy val treePatternBits: BitSet = {
    val bits = getDefaultTreePatternBits
    expressions.foreach(e => bits.union(e.treePatternBits))
    bits.unset(TreePattern.ALIAS.id)
    bits
  }
}
