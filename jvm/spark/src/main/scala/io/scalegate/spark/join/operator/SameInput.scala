package io.scalegate.spark.join.operator

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  Expression,
  NamedExpression
}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage

import io.scalegate.stream.{Side, Sides}

/** Two inputs of a join whose rows are all those of one of them.
  *
  * @param side
  *   the input that is read
  * @param columns
  *   of the left row and of the right row, in the order of that input's: its own of that side
  * @param others
  *   what is asked of a row of the other side besides
  */
final private[operator] case class SameInput(
    side: Side,
    columns: Sides[Seq[Attribute]],
    others: Seq[Expression]
)

private[operator] object SameInput {

  /** None where neither input has all rows and columns of the other, as far as filters and projections above the same
    * rows tell.
    */
  def in(inputs: Sides[LogicalPlan]): Option[SameInput] = {
    val both = inputs.map(new Selected(_))
    Seq[Side](Side.R, Side.S).iterator
      .flatMap(side => both(side).holding(both(side.opposite), side))
      .nextOption()
  }

  /** The columns and the rows that an input selects of something. What has run of it counts as what was asked for. */
  final private class Selected(input: LogicalPlan) {
    private[this] val asked = input.transformDown { case stage: LogicalQueryStage =>
      stage.logicalPlan
    }
    private val (projects, filters, of) = asked match {
      case PhysicalOperation(columns, conditions, from) => (columns, conditions, from)
      case other => (other.output: Seq[NamedExpression], Nil, other)
    }

    def output: Seq[Attribute] = input.output

    private def columns: Seq[Expression] = projects.map {
      case Alias(child, _) => child
      case other => other
    }

    /** This input, on this side, if the other selects a part of it. */
    def holding(other: Selected, side: Side): Option[SameInput] =
      if (!asked.deterministic || !of.sameResult(other.of)) None
      else {
        val mine = AttributeMap(other.of.output.zip(of.output))
        def inMine(e: Expression) = e.transform { case a: Attribute => mine.getOrElse(a, a) }
        val found = other.columns.map(c => columns.indexWhere(_.semanticEquals(inMine(c))))
        val (shared, more) =
          other.filters.map(inMine).partition(f => filters.exists(_.semanticEquals(f)))
        val isPart = !found.contains(-1) && found.distinct.size == found.size &&
          filters.forall(f => shared.exists(_.semanticEquals(f)))
        val twin = output.indices.map { i =>
          val at = found.indexOf(i)
          if (at < 0) output(i).newInstance() else other.output(at)
        }
        val seen = AttributeMap(
          columns.zip(twin).collect { case (column: Attribute, seenAs) => column -> seenAs }
        )
        val isSeen = more.forall(_.references.forall(seen.contains))
        Option.when(isPart && isSeen) {
          val asked = more.map(_.transform { case a: Attribute => seen.getOrElse(a, a) })
          SameInput(side, Sides.bySide(side, output, twin), asked)
        }
      }
  }
}
