package io.scalegate.spark.join.cube

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}

import io.scalegate.matrix.cube.{
  CubeJoin => CubeOfWorkers,
  CubeLayout,
  CubePair,
  CubeSpec,
  CubeStream,
  TriplePredicate
}
import io.scalegate.spark.join.JoinTask
import io.scalegate.spark.rows.{AttributeReader, UnsafeRows}

/** A join by a cube of workers, as it travels to the executor. */
final private[cube] class CubeTask(
    layout: CubeLayout,
    times: Seq[Expression],
    bounded: Seq[Seq[Expression]],
    residual: Option[Expression],
    pairs: Seq[CubePair],
    columns: Seq[Seq[Attribute]]
) extends JoinTask {

  /** Starts the join of three inputs in the order of their times; the task's end must close it. */
  def join(inputs: IndexedSeq[Iterator[InternalRow]]): CubeIterator = {
    val all = columns.flatten
    val spec = CubeSpec.of(pairs).copy(residual = residual.map(_ => predicates(all)))
    val rows = inputs.indices.map { i =>
      new CubeRows(
        UnsafeRows(inputs(i), columns(i)),
        AttributeReader(Seq(times(i)), columns(i)),
        AttributeReader(bounded(i), columns(i)),
        i
      )
    }
    val project = UnsafeProjection.create(all, all)
    // Threads start last: what throws before leaves none behind.
    val running = new CubeOfWorkers(layout).open(spec, CubeStream.all)
    new CubeIterator(running, rows, project, TaskContext.get())
  }

  /** One for each worker. */
  private[this] def predicates(all: Seq[Attribute]): () => TriplePredicate =
    JoinTask.oneForEach(
      Seq.fill(layout.workers)(accepts(residual, all)).flatten.map(TripleRow.test)
    )
}
