package io.scalegate.spark.join.lookup

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.{JoinedPairs, PartitionsJoinTask, TaskTerms}
import io.scalegate.spark.rows.{BuildBuffer, UnsafeRows, WindowMemory}
import io.scalegate.stream.Sides

/** A join that indexes all rows of its build side and takes the probe rows as they come, as it travels to the
  * executors.
  *
  * @param terms
  *   the key is among their attributes
  * @param unheld
  *   runs the join where the task's memory cannot hold that side
  */
final class IndexTask(terms: TaskTerms, unheld: PartitionsJoinTask) extends PartitionsJoinTask {
  import terms.{build, probing}

  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): JoinedPairs = {
    val (probes, held) = (terms.probeOf(Sides(l, r)), terms.buildOf(Sides(l, r)))
    val rest = UnsafeRows(held, build.output)
    val memory = WindowMemory.ofTask(TaskContext.get())
    val rows =
      new BuildBuffer(
        terms.reader(build),
        terms.by,
        build.output.length,
        Expected,
        probing.unfound
      )
    if (rows.fill(rest, memory)) lookup(probes, rows, memory)
    else {
      memory.release()
      val all = rows.drain() ++ rows.unmatchable ++ rest
      val both = Sides.bySide(probing.side, probes, all)
      unheld.join(both.left, both.right)
    }
  }

  private[this] def lookup(
      probes: Iterator[InternalRow],
      rows: BuildBuffer,
      memory: WindowMemory
  ): LookupJoinIterator =
    new LookupJoinIterator(
      terms.test,
      probes,
      terms.reader(terms.probe),
      rows.index(terms.buildSide),
      rows.unmatchable,
      Some(memory)
    )

  private[this] val Expected = 1024
}
