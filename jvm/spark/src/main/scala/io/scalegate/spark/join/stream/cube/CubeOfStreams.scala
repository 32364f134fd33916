package io.scalegate.spark.join.stream.cube

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.matrix.cube.{CubeLayout, CubePair}
import io.scalegate.spark.join.stream.task.{StreamMethod, StreamTask, StreamTerms}
import io.scalegate.stream.Side

/** By a cube of workers, which joins three inputs. They come as one, the left one, whose rows have the columns of all
  * three, NULL but for those of the input that they are of. A joined row has these columns, too; there are no right rows.
  *
  * @param input
  *   the column that says which input a row is of: 0, 1 or 2
  * @param columns
  *   of each input
  * @param bounded
  *   the banded attributes of each input, never NULL in its rows
  * @param pairs
  *   of the first input and the second, the second and the third, the first and the third
  */
final case class CubeOfStreams(
    layout: CubeLayout,
    input: Attribute,
    columns: Seq[Seq[Attribute]],
    bounded: Seq[Seq[Expression]],
    pairs: Seq[CubePair]
) extends StreamMethod {
  override def expressions: Seq[Expression] = bounded.flatten

  override def withExpressions(changed: Iterator[Expression]): CubeOfStreams =
    copy(bounded = bounded.map(_.map(_ => changed.next())))

  override def ties(side: Side): Seq[Expression] = if (side eq Side.R) Seq(input) else Nil

  override def found: Option[Seq[Attribute]] = Some(Nil)

  def task(terms: StreamTerms): StreamTask = new CubeStreamTask(terms, this)
}
