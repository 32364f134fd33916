package io.scalegate.multiway.winset

import java.util.concurrent.atomic.{AtomicReference, AtomicReferenceArray}

import io.scalegate.multiway.function.AggregateFunction

/** The windows of one time interval, for all keys, in one hash table that all threads add to: the
  * paper's winset (multiway aggregation, §5.2), after Michael's list-based sets (SPAA 2002). Any
  * thread adds; who takes the winset from the hive reads. Adding is lock-free.
  *
  * For functions that are not order-sensitive: tuples of a key are added as threads come.
  *
  * @param expected
  *   how many keys there may be; a table with more has longer lists, and does not grow
  */
final private[scalegate] class SharedTable[T, S <: AnyRef](
    val start: Long,
    expected: Int,
    function: AggregateFunction[T, S, _]
) {
  /*
   *   bucket 0 --> [hash 8, b] --> [hash 8, k] --> [hash 24, a]
   *   bucket 1
   *   bucket 2 --> [hash 2, c] --> ...
   *
   * A bucket is a list in the order of hashes. A key that is not there is linked behind the last
   * node of its hash or of a lower one, by compare-and-set of that node's link; all keys of a hash are
   * linked at one and the same place, so who fails goes on from there and meets what was linked. No
   * node is ever removed, as a winset goes as a whole: Michael's marks, and the reclamation of nodes,
   * have no part here.
   *
   * A state is one thread's while it adds. It takes the state out of the node, or makes one where
   * there is none, and puts it back where nothing else was put meanwhile; else it takes that, too,
   * merges the two and tries again. So nobody waits for a thread that was stopped with a state: others
   * go on with one of their own. A compare-and-set fails only where another has put a state.
   *
   * Memory order: links and states are volatile. The hive's consumer reads them after the promise of
   * each thread that has added, which comes after its state was put back.
   */
  private[this] val mask = SharedTable.bucketsFor(expected) - 1
  private[this] val buckets = new AtomicReferenceArray[TableNode[S]](mask + 1)

  /** Adds a tuple of the key; `hash` is `StateTable.hash` of it. */
  def add(key: AnyRef, hash: Int, tuple: T): Unit = {
    val node = find(key, hash)
    val state = node.state.getAndSet(null.asInstanceOf[S])
    put(node, function.add(if (state == null) function.create() else state, tuple))
  }

  /** Has the key, with a tuple that the function passes over. */
  def touch(key: AnyRef, hash: Int): Unit = {
    val node = find(key, hash)
    if (node.state.get == null)
      node.state.compareAndSet(null.asInstanceOf[S], function.create())
    ()
  }

  /** Every key and its state. Once nobody adds any more. */
  def foreach(f: (AnyRef, S) => Unit): Unit = {
    var i = 0
    while (i <= mask) {
      var node = buckets.get(i)
      while (node != null) {
        f(node.key, node.state.get)
        node = node.get
      }
      i += 1
    }
  }

  private[this] def put(node: TableNode[S], state: S): Unit = {
    var mine = state
    while (!node.state.compareAndSet(null.asInstanceOf[S], mine)) {
      val other = node.state.getAndSet(null.asInstanceOf[S])
      if (other != null) mine = function.merge(other, mine)
    }
  }

  /** The key's node, a new one if there is none. */
  private[this] def find(key: AnyRef, hash: Int): TableNode[S] = {
    val bucket = hash & mask
    var before: TableNode[S] = null // the last node whose hash is no higher
    var fresh: TableNode[S] = null
    var found: TableNode[S] = null
    while (found == null) {
      val next = if (before == null) buckets.get(bucket) else before.get
      if (next != null && next.hash <= hash) {
        if (next.hash == hash && next.key == key) found = next
        else before = next
      } else {
        if (fresh == null) fresh = new TableNode[S](key, hash)
        fresh.setPlain(next)
        val isLinked =
          if (before == null) buckets.compareAndSet(bucket, next, fresh)
          else before.compareAndSet(next, fresh)
        if (isLinked) found = fresh
      }
    }
    found
  }
}

private[scalegate] object SharedTable {
  private val FewBuckets = 16
  private val ManyBuckets = 1 << 20

  /** A power of two, of one for each key at least, within bounds. */
  private def bucketsFor(keys: Int): Int =
    Integer.highestOneBit(2 * math.max(FewBuckets, math.min(keys, ManyBuckets)) - 1)
}

/** A key of a [[SharedTable]], and the link to the next one of its bucket. */
final private class TableNode[S <: AnyRef](val key: AnyRef, val hash: Int)
    extends AtomicReference[TableNode[S]] {

  /** Null while there is none, or a thread has taken it. */
  val state = new AtomicReference[S]
}
