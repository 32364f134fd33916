package io.scalegate.spark.window.design

import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.types.{DoubleType, FloatType}

import io.scalegate.multiway.function.AggregateFunction
import io.scalegate.spark.window.partial.{PaneFunctions, PaneMerger, PaneUpdates}
import io.scalegate.stream.StreamTuple

/** Functions of Spark whose partial results are of fixed size, as one function of a design: a state is a partial result,
  * which is changed in place. Each thread that calls it takes code of its own, made by the task's thread.
  *
  * @param threads
  *   that may call it
  * @param adding
  *   makes what adds a tuple's row to a state
  */
final class DesignFunction private (
    partition: Int,
    functions: PaneFunctions,
    threads: Int,
    adding: () => (UnsafeRow, UnsafeRow) => Unit
) extends AggregateFunction[StreamTuple, UnsafeRow, UnsafeRow] {
  private[this] val initial = functions.initial
  private[this] val made =
    new ConcurrentLinkedQueue[((UnsafeRow, UnsafeRow) => Unit, PaneMerger)]
  (1 to threads).foreach(_ => made.add((adding(), PaneMerger(partition, functions))))
  private[this] val own =
    ThreadLocal.withInitial[((UnsafeRow, UnsafeRow) => Unit, PaneMerger)](() => made.remove())

  def name: String = functions.functions.map(_.aggregateFunction.prettyName).mkString(", ")

  override def isRounding: Boolean =
    functions.partial.exists(a => a.dataType == DoubleType || a.dataType == FloatType)

  def create(): UnsafeRow = initial.copy()

  def add(state: UnsafeRow, tuple: StreamTuple): UnsafeRow = {
    own.get._1(state, tuple.row.asInstanceOf[DesignRow].row)
    state
  }

  def merge(a: UnsafeRow, b: UnsafeRow): UnsafeRow = {
    own.get._2.merge(a, b)
    a
  }

  def result(state: UnsafeRow): UnsafeRow = state.copy()
}

private[window] object DesignFunction {

  /** Of rows of these columns. */
  def ofRows(
      partition: Int,
      functions: PaneFunctions,
      input: Seq[Attribute],
      threads: Int
  ): DesignFunction =
    new DesignFunction(
      partition,
      functions,
      threads,
      () => {
        val updates = new PaneUpdates(partition, functions, input)
        (state, row) => updates.add(state, row)
      }
    )

  /** Of the partial results of panes. */
  def ofPanes(partition: Int, functions: PaneFunctions, threads: Int): DesignFunction =
    new DesignFunction(
      partition,
      functions,
      threads,
      () => {
        val merger = PaneMerger(partition, functions)
        (state, partial) => merger.merge(state, partial)
      }
    )
}
