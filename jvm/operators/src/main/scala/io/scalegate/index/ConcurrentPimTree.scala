package io.scalegate.index

import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicLong}

import scala.annotation.tailrec

/** The partitioned in-memory merge tree (PIM-Tree §3.3) for many threads, with a merge that does
  * not stop them (§4.2). New tuples go to one of many small B+-trees, the subindexes: one for each
  * node of `T_S` at the insertion depth, for that node's range of keys, with a lock of its own.
  * `T_I`, the subindexes together, is merged from time to time into `T_S`, an immutable B+-tree
  * that is searched without locks; the merge drops what has expired and spreads the subindexes'
  * ranges anew. Until then what has expired is filtered from the answers.
  *
  * Progress: an operation waits only for a thread that holds the lock of a subindex that it needs,
  * for the time of one operation on a small tree or, once per subindex and merge, for handing
  * over what was inserted while the merge ran. Nobody waits for the rest of a merge. One thread
  * at a time merges: with `insert`, the one whose insertion makes it due.
  *
  * What is promised to threads that race is said at [[ConcurrentSlidingIndex]]; and here insertions
  * of a key and searches for just that key are linearizable, however many tuples share it.
  *
  * @param insertionDepth
  *   `D_I`, at least 0; the root of `T_S` has depth 0. Where `T_S` has fewer levels of inner nodes
  *   the lowest counts. The deeper, the more subindexes, and the fewer threads meet at one lock.
  */
final class ConcurrentPimTree(
    val policy: MergePolicy,
    val insertionDepth: Int = PimTree.DefaultDepth
) extends ConcurrentSlidingIndex {
  /*
   * A generation is T_S and the subindexes B_i that hang on its nodes at depth D_I:
   *
   *        generation g                            generation g'
   *     T_S   /    |     \                      T_S' = T_S + frozen, rebuilt
   *          n0    n1     n2                        /   |   |   \
   *          B0    B1     B2     --- previous ---  B0'  B1' B2'  B3'
   *     frozen,  frozen,  ...
   *     active   active
   *
   * A merge, by the thread that holds `merging`:
   *   1. Each B_i is frozen, one after the other, under its lock: its tree becomes the frozen tree
   *      and an empty one the active. T_S and the ranges are what they were, so insertions go on
   *      into the active trees, and searches look into both.
   *   2. T_S' is built from T_S and the frozen trees, less what had expired when the merge began.
   *      Neither is written any more. This is the long part, and nobody notices it.
   *   3. g' is published, with empty subindexes and with g as its previous generation.
   *   4. Each B_i leaves for g', under its lock: the entries of its active tree are inserted into
   *      g', then B_i is marked as having left. When all have left g' forgets g.
   * An operation on g' first makes those B_i leave that may hold its keys, if they have not yet:
   * so it need not wait for the sweep of step 4. An insertion that read g before step 3 and finds
   * that its B_i has left starts over with the current generation, which is a later one.
   *
   * The paper stops the assignment of tasks at the beginning of steps 1 and 3, inserts nothing
   * during 1 and 2 and leaves it to the join to scan the window for what is not indexed. Here the
   * index alone is complete at all times.
   *
   * No tuple is lost or doubled. A B_i changes under its lock only. While it has not left, all of its keys' tuples are
   * in T_S, its frozen and its active tree, each in one. When it leaves, they are in T_S' (T_S and frozen) and in the
   * subindexes of g' (active), each in one: nobody inserts those keys into g' before, since whoever is about to makes
   * B_i leave first. A search looks into the parts of one generation only: g, or g' after the B_i of its keys have
   * left. A search of g that comes after B_i has left finds the contents as they were then.
   *
   * Linearization, for insertions of one key k and searches for k alone. Let B be the subindex of
   * g for k. Operations that reach B before it leaves take effect when they hold its lock. A
   * search of g that reaches B after it has left takes effect at the moment it left: it read g
   * before g' was published, hence before that moment. Operations on g' come after it. The order
   * of the generations and, within each, of the lock is thus one order for all. A search for a
   * range takes one lock after the other: of two tuples inserted meanwhile in different subindexes
   * it may see the later only.
   *
   * Expiry. `earliest` only rises. A merge reads it before it builds T_S', a search after it has
   * read the generation: so all that is missing from T_S' the search leaves out in any case, and
   * one bound, that was valid while it ran, decides on all that it reports.
   *
   * A merge that throws (there was no memory for T_S') before step 3 leaves g as it was, its
   * frozen trees in the answers; the next merge takes them along. One that throws in step 4 is
   * finished by the next merge, or by the operations that meet what it left.
   *
   * Memory order.
   *   generation   volatile. Everything in a generation that is not guarded by a lock is written
   *                before it is published.
   *   previous     volatile. Null is stored after every B_i has left.
   *   B_i          its trees under its lock: acquire by compare-and-set, release by a release
   *                store. `left` volatile, so that it can be read without the lock.
   *   frozen trees read by the merging thread without the lock, which it held to freeze them;
   *                nobody writes them until a later merge does, ordered by `merging`.
   *   inserted     atomic, a hint: behind by up to an eighth of the threshold.
   *   earliest     volatile; raised by compare-and-set.
   */
  PimTree.requireDepth(insertionDepth)

  private[this] val inserted = new AtomicInteger
  private[this] val earliest = new AtomicLong(Long.MinValue)
  private[this] val merging = new AtomicBoolean
  @volatile private[this] var merged = 0L // written by the merging thread
  @volatile private[this] var generation = first()

  /** The merging thread's. */
  private[this] val fresh = new SortedRun

  /** The merge is in no hurry: where there are fewer cores than threads, it would else keep one of
    * those that have tuples waiting for a time slice of some milliseconds.
    */
  private[this] val rest = () => Thread.`yield`()

  def name: String = s"concurrent PIM-Tree($policy, D=$insertionDepth)"

  /** Merges so far. */
  override def merges: Long = merged

  /** The subindexes that insertions may go to, until the next merge. */
  def partitions: Int = generation.partitions

  /** The tuples that were inserted into each since the last merge. */
  private[scalegate] def insertedByPartition: IndexedSeq[Int] = generation.sizes

  /** Adds a tuple, and merges if that is due and no other thread is at it. */
  def insert(key: Long, value: Int, position: Long): Unit = {
    add(key, value, position)
    if (isMergeDue) {
      tryMerge()
      ()
    }
  }

  @tailrec
  def add(key: Long, value: Int, position: Long): Unit =
    if (!generation.tryInsert(key, value, position)) add(key, value, position)

  /** Whether about `m × w` tuples were inserted since the last merge began. */
  def isMergeDue: Boolean = inserted.get >= generation.threshold

  def tryMerge(): Boolean =
    merging.compareAndSet(false, true) && {
      try merge()
      finally merging.set(false)
      true
    }

  def search(query: RangeQuery, out: PositionBuffer): Unit =
    if (query.lo <= query.hi) {
      val g = generation // before the bound, see "Expiry"
      g.search(query, math.max(query.first, earliest.get), out)
    }

  def expireBefore(earliest: Long): Unit = {
    var before = this.earliest.get
    while (before < earliest && !this.earliest.compareAndSet(before, earliest))
      before = this.earliest.get
  }

  def size: Int = generation.size

  def memoryBytes: Long = generation.bytes + fresh.bytes

  def clear(): Unit = {
    earliest.set(Long.MinValue)
    inserted.set(0)
    generation = first()
  }

  private[this] def merge(): Unit = {
    val old = generation
    old.settle() // for a merge that threw
    val bound = earliest.get
    old.freezeInto(fresh, rest)
    val run = new SortedRun
    run.merge(old.ts.leaves, fresh, bound, rest)
    val next = successor(new ImmutableBPlusTree(run), old)
    generation = next
    next.settle()
    merged += 1
  }

  private[this] def first(): PimGeneration = successor(ImmutableBPlusTree.empty, null)

  private[this] def successor(ts: ImmutableBPlusTree, old: PimGeneration): PimGeneration =
    new PimGeneration(ts, insertionDepth, inserted, policy.threshold(ts.size), old)
}
