package io.scalegate.spark.join.stream.hotkeys

/** Where the hot keys of a join are written, under the number of the batch that they are first for. Driver only;
  * [[HotKeyHistory]] calls it, one thread at a time.
  */
trait HotKeyStore {

  /** Those of the last batch up to this one that any are written for, which then is the last. */
  def latest(batch: Long): HotKeys
  def write(batch: Long, keys: HotKeys): Unit
}
