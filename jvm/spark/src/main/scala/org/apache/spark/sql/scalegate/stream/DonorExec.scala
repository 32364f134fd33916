package org.apache.spark.sql.scalegate.stream

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.SparkStreams._
import org.json4s.JsonAST.{JField, JString}

import io.scalegate.stream.Sides

/** Spark's stream-stream join as a base class: it unpacks what that is made by, and packs what Spark copies it with.
  *
  * @param hosted
  *   the expressions that the tasks evaluate, which Spark's rules find among the node's arguments, and may change there
  */
abstract class DonorExec(@transient args: DonorArgs, @transient val hosted: Seq[Expression])
    extends JoinBase(args) {

  /** The same operator with other arguments. */
  protected def made(args: DonorArgs, hosted: Seq[Expression]): DonorExec

  /** What its state is given, of what Spark gives it. */
  protected def adjusted(info: StatefulOperatorStateInfo): StatefulOperatorStateInfo

  final override protected def changed(args: DonorArgs): DonorExec = {
    val ofBatch = args.ofBatch.copy(stateInfo = args.ofBatch.stateInfo.map(adjusted))
    made(args.copy(ofBatch = ofBatch), hosted)
  }

  final override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): DonorExec =
    made(args.copy(inputs = Sides(l, r)), hosted)

  // Spark's rules go over the arguments of a node, and make another of those that they have changed: expressions, in
  // the sequences of the two sides' keys and of what is hosted, and inputs.
  final override def productArity: Int = super.productArity + 1
  final override def productElement(n: Int): Any =
    if (n == super.productArity) hosted else super.productElement(n)

  final override def makeCopy(changed: Array[AnyRef]): SparkPlan = {
    val expressions =
      changed.toSeq.collect { case terms: Seq[_] => terms.map(_.asInstanceOf[Expression]) }
    val inputs = changed.toSeq.collect { case input: SparkPlan => input }
    val keys = Sides(expressions(0), expressions(1))
    copied(args.copy(keys = keys, inputs = Sides(inputs(0), inputs(1))), expressions(2))
  }

  final override def clone(): SparkPlan =
    copied(args.copy(inputs = Sides(left.clone(), right.clone())), hosted)

  private[this] def copied(args: DonorArgs, hosted: Seq[Expression]): SparkPlan =
    session.withActive {
      CurrentOrigin.withOrigin(origin) {
        val exec = made(args, hosted)
        exec.copyTagsFrom(this)
        exec
      }
    }

  /** By default of all arguments of the constructor, which are not those of the node. */
  final override protected def jsonFields: List[JField] =
    List("description" -> JString(simpleString(conf.maxToStringFields)))

  /** A rule takes what it has made of a node for no other where they are equal. */
  final override def equals(other: Any): Boolean = other match {
    case d: DonorExec => super.equals(d) && d.hosted == hosted
    case _ => false
  }
  final override def hashCode: Int = 31 * super.hashCode + hosted.hashCode

  override def canEqual(other: Any): Boolean = other.getClass == getClass
}
