package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.expressions.{Ascending, SortOrder, UnsafeRow}
import org.apache.spark.sql.execution.UnsafeExternalRowSorter

import io.scalegate.spark.join.{BoundedInput, PairTest, TaskTerms}
import io.scalegate.spark.rows.{AttributeReader, TaskSort, UnsafeRows, WindowMemory}

/** Sorts the rows of one key by the first bounded attribute and sweeps a window over them, one key after the other. One
  * thread, the task's. The sorts spill what they have no memory for.
  */
final class SortedKey(terms: TaskTerms, test: PairTest, memory: WindowMemory) {
  private[this] val probe = new Input(terms.probe)
  private[this] val build = new Input(terms.build)

  /** @param buildRows
    *   are all taken at once, before the others are
    */
  def sweep(probes: Iterator[UnsafeRow], buildRows: Iterator[UnsafeRow]): SweepJoinIterator = {
    val b = build.sorted(buildRows, whole = false)
    val p = probe.sorted(probes, terms.probing.unmatched)
    new SweepJoinIterator(test, p, b, terms.by.bands, memory)
  }

  /** Lets go of the rows of the last key. */
  def release(): Unit = {
    probe.release()
    build.release()
  }

  final private[this] class Input(input: BoundedInput) {
    private[this] val sort =
      TaskSort.by(Seq(SortOrder(input.bounded.head, Ascending)), input.output)
    private[this] val reader: AttributeReader = terms.reader(input)
    private[this] var sorter: UnsafeExternalRowSorter = _

    def sorted(rows: Iterator[UnsafeRow], whole: Boolean): SortedSide = {
      sorter = sort.sorter()
      new SortedSide(UnsafeRows(sorter.sort(rows), input.output), reader, whole)
    }

    def release(): Unit = {
      sorter.cleanupResources()
      sorter = null
    }
  }
}
