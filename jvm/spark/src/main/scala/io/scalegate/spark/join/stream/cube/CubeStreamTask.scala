package io.scalegate.spark.join.stream.cube

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

import io.scalegate.matrix.cube.{CubeJoin, CubeSpec, CubeStream}
import io.scalegate.spark.join.JoinTask
import io.scalegate.spark.join.cube.TripleRow
import io.scalegate.spark.join.stream.state.JoinState
import io.scalegate.spark.join.stream.task.{
  BatchServices,
  EventTimeOrder,
  StoredSide,
  StoredTask,
  StreamBatch,
  StreamJoinEnd,
  StreamTerms
}
import io.scalegate.spark.rows.AttributeReader
import io.scalegate.stream.{SaturatingMath, Sides}

/** The join of three streams by a cube of workers, as it travels to the executors. Rows wait for the watermark, and are
  * given to the workers in the order of their times.
  *
  * The state is the rows of the windows. Each batch begins a cube with the rows that are held, which are compared with the
  * batch's alone.
  *
  * @param terms
  *   of rows of all three inputs, the left ones
  */
final class CubeStreamTask(terms: StreamTerms, cube: CubeOfStreams)
    extends JoinTask
    with StoredTask {
  @transient protected lazy val held: Sides[StoredSide] = Sides.each(side =>
    new StoredSide(
      side,
      terms.inputs(side),
      terms.bands,
      terms.window,
      inTurn = true,
      onlyUnmatched = false
    )
  )

  /** Of a row that is held. */
  private[this] def heldColumns: Seq[Attribute] = terms.inputs.left.output

  private[scalegate] def givesAtWatermark: Boolean = true

  private[scalegate] def joinWith(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: JoinState,
      services: BatchServices
  ): CubePairs = {
    val both = arrived(rows, batch, before, services)
    val now = both.left.now
    val triples = new HeldTriples(cube.columns, heldColumns)
    val live = Option.when(now.size > 0)(after(before, triples, services.waiting))
    live.foreach(_.begin(now, before.left.joined, batch.watermark))
    val sides = both.map(_.joining(new EventTimeOrder(now, both.right.now)))
    new CubePairs(live, triples, sides, StreamJoinEnd(before, batch, both, services.store))
  }

  /** A cube that has been given the rows of a state. */
  private[this] def after(
      state: JoinState,
      triples: HeldTriples,
      waiting: () => Unit
  ): LiveCube = {
    val live = opened(state.watermark, triples, waiting)
    val rows = held.left.inOrder(state.left.window)
    live.begin(rows, state.left.joined - rows.size, state.watermark)
    require(live.next() == null, "a triple of rows that were joined before")
    live
  }

  /** The end of the task closes it.
    *
    * @param watermark
    *   up to which triples were given before
    */
  private[this] def opened(
      watermark: Long,
      triples: HeldTriples,
      waiting: () => Unit
  ): LiveCube = {
    val tests = Seq.fill(cube.layout.workers)(accepts(terms.residual, triples.columns)).flatten
    val spec = CubeSpec.of(cube.pairs).copy(
      residual = terms.residual.map(_ => JoinTask.oneForEach(tests.map(TripleRow.test))),
      from = SaturatingMath.add(watermark, 1)
    )
    val readers = cube.bounded.map(AttributeReader(_, heldColumns)).toIndexedSeq
    val input = heldColumns.indexWhere(_.exprId == cube.input.exprId)
    // Threads start last: what throws before leaves none behind.
    val join = new CubeJoin(cube.layout).open(spec, CubeStream.all)
    TaskContext.get().addTaskCompletionListener[Unit](_ => join.close())
    new LiveCube(join, input, readers, waiting)
  }
}
