package io.scalegate.index

import org.jetbrains.kotlinx.lincheck.annotations.{Operation, Param}
import org.jetbrains.kotlinx.lincheck.paramgen.IntGen

import io.scalegate.LincheckSuite

/** The concurrent indexes against a list. Each scenario may merge several times, so that threads
  * hold generations of any age.
  */
class ConcurrentIndexLincheckSuite extends LincheckSuite {
  test("the operations of a PIM-Tree are linearizable under stress") {
    stress(
      classOf[PimTreeModel],
      classOf[DefinedIndex],
      scenarios = 8,
      runs = 150,
      operations = 4
    )
  }

  // It has locks, so no operation is lock-free; trees and runs are guarded or not written any more.
  test("the operations of a PIM-Tree are linearizable in every interleaving that is tried") {
    explore(
      classOf[PimTreeModel],
      classOf[DefinedIndex],
      scenarios = 3,
      runs = 20,
      isLockFree = false,
      operations = 4,
      atomic = Seq(classOf[BPlusTree], classOf[ImmutableBPlusTree], classOf[SortedRun])
    )
  }

  test(
    "the operations of a skip list, but searches for many tuples, are linearizable under stress"
  ) {
    stress(classOf[SkipListModel], classOf[DefinedSkipList], scenarios = 8, runs = 200)
  }

  test("the same are linearizable and lock-free in every interleaving that is tried") {
    explore(
      classOf[SkipListModel],
      classOf[DefinedSkipList],
      scenarios = 5,
      runs = 40,
      isLockFree = true
    )
  }
}

/** Insertions and searches for one key, while tuples expire that none of them is about. */
@Param(name = "key", gen = classOf[IntGen], conf = "1:4")
@Param(name = "position", gen = classOf[IntGen], conf = "1:99")
abstract class IndexOperations {
  protected def add(key: Long, position: Long): Unit

  /** In rising order. */
  protected def positions(key: Long): String
  protected def mergeNow(): Unit
  protected def expireNow(): Unit

  @Operation def insert(
      @Param(name = "key") key: Int,
      @Param(name = "position") position: Int
  ): Unit = add(IndexOperations.keyOf(key), position.toLong)

  @Operation def search(@Param(name = "key") key: Int): String =
    positions(IndexOperations.keyOf(key))

  @Operation def merge(): Unit = mergeNow()
  @Operation def expire(): Unit = expireNow()
}

object IndexOperations {

  /** Tuples below every position of a scenario, one for each key from 0 on: T_S has two nodes at
    * depth 1.
    */
  val Background: Int = ImmutableBPlusTree.Fanout * ImmutableBPlusTree.Fanout + 4

  /** Two keys of each of the two subindexes. */
  def keyOf(i: Int): Long = Background - 7L + i
}

class PimTreeModel extends IndexOperations {
  import IndexOperations.Background

  private val tree = new ConcurrentPimTree(MergePolicy(1000, 1), insertionDepth = 1)
  (0 until Background).foreach(i => tree.add(i.toLong, Long.MinValue + i))
  tree.tryMerge()
  tree.expireBefore(Long.MinValue + Background / 2)
  assert(tree.partitions > 1)

  protected def add(key: Long, position: Long): Unit = tree.add(key, position)

  protected def positions(key: Long): String = {
    val out = new PositionBuffer
    tree.search(key, key, Long.MinValue + Background, Long.MaxValue, out)
    out.sort()
    val all = new java.lang.StringBuilder // plain, since each step of a model is instrumented
    var i = 0
    while (i < out.size) {
      all.append(out(i)).append(' ')
      i += 1
    }
    all.toString
  }

  protected def mergeNow(): Unit = {
    tree.tryMerge()
    ()
  }

  protected def expireNow(): Unit = tree.expireBefore(Long.MinValue + Background - 20)
}

/** The definition: a bag of tuples. */
class DefinedIndex extends IndexOperations {
  private var tuples = Vector.empty[(Long, Long)]

  protected def add(key: Long, position: Long): Unit = tuples :+= ((key, position))
  protected def positions(key: Long): String =
    tuples.filter(_._1 == key).map(_._2).sorted.map(p => s"$p ").mkString
  protected def mergeNow(): Unit = ()
  protected def expireNow(): Unit = ()
}

/** Insertions of a few tuples, searches for one of them, and expiry of others. */
@Param(name = "position", gen = classOf[IntGen], conf = "1:3")
abstract class SkipListOperations {
  protected def add(position: Long): Unit
  protected def has(position: Long): Boolean
  protected def expireNow(): Unit

  @Operation def insert(@Param(name = "position") position: Int): Unit = add(position.toLong)
  @Operation def find(@Param(name = "position") position: Int): Boolean = has(position.toLong)
  @Operation def expire(): Unit = expireNow()
}

class SkipListModel extends SkipListOperations {
  private val index = new SkipListIndex
  (-3L to 0L).foreach(index.insert(7, _))

  protected def add(position: Long): Unit = index.insert(7, position)

  protected def has(position: Long): Boolean = {
    val out = new PositionBuffer
    index.search(7, 7, position, position, out)
    out.size > 0
  }

  protected def expireNow(): Unit = index.expireBefore(1)
}

/** The definition: a set of tuples. */
class DefinedSkipList extends SkipListOperations {
  private var tuples = Set.empty[Long]

  protected def add(position: Long): Unit = tuples += position
  protected def has(position: Long): Boolean = tuples(position)
  protected def expireNow(): Unit = ()
}
