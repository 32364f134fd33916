package io.scalegate.spark.window.stream
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Where a partition's panes lie between the batches of a stream. A task has one for a batch, in one thread: what it
  * puts and removes shows with the commit, or never. A key is the values of the aggregate's keys and a number: see
  * `StoredPanes`.
  */
trait PaneStore {

  /** Null where there is none. Neither argument nor result is kept by the other. */
  def get(key: UnsafeRow): UnsafeRow
  def put(key: UnsafeRow, value: UnsafeRow): Unit
  def remove(key: UnsafeRow): Unit

  /** Each pair is valid until the next is asked for. */
  def all: Iterator[(UnsafeRow, UnsafeRow)]
}
