package io.scalegate.index

import org.jetbrains.kotlinx.lincheck.annotations.{Operation, Param}
import org.jetbrains.kotlinx.lincheck.paramgen.IntGen
import org.jetbrains.kotlinx.lincheck.strategy.managed.ManagedStrategyGuaranteeKt.forClasses
import org.jetbrains.kotlinx.lincheck.strategy.managed.modelchecking.ModelCheckingOptions
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions
import org.jetbrains.kotlinx.lincheck.{LinChecker, Options}
import org.scalatest.funsuite.AnyFunSuite

/** Linearizability of insertions, searches for one key and merges against a list, over generated
  * scenarios: stress runs them on real threads, model checking tries their interleavings one by
  * one. Each scenario may merge several times, so that threads hold generations of any age.
  */
class ConcurrentPimTreeLincheckSuite extends AnyFunSuite {
  test("insert, search and merge are linearizable under stress") {
    check(new StressOptions().iterations(12).invocationsPerIteration(600))
  }

  test("insert, search and merge are linearizable in every interleaving that is tried") {
    val options = new ModelCheckingOptions().iterations(5).invocationsPerIteration(20)
    // Trees and runs are guarded or not written any more, which stress looks at; what is to be
    // interleaved is everything else.
    val steps = forClasses(
      classOf[BPlusTree].getName,
      classOf[ImmutableBPlusTree].getName,
      classOf[SortedRun].getName
    )
    check(options.addGuarantee(steps.allMethods().treatAsAtomic()))
  }

  private def check[O <: Options[O, _]](options: O): Unit =
    LinChecker.check(
      classOf[PimTreeModel],
      options
        .threads(3)
        .actorsBefore(2)
        .actorsPerThread(4)
        .actorsAfter(2)
        .sequentialSpecification(classOf[SequentialIndexModel])
    )
}

/** The operations of a scenario. */
@Param(name = "key", gen = classOf[IntGen], conf = "1:4")
@Param(name = "position", gen = classOf[IntGen], conf = "1:99")
abstract class IndexModel {
  protected def add(key: Long, position: Long): Unit
  protected def positions(key: Long): Seq[Long]
  protected def mergeNow(): Unit

  @Operation def insert(
      @Param(name = "key") key: Int,
      @Param(name = "position") position: Int
  ): Unit = add(IndexModel.keyOf(key), position.toLong)

  @Operation def search(@Param(name = "key") key: Int): String =
    positions(IndexModel.keyOf(key)).sorted.mkString(" ")

  @Operation def merge(): Unit = mergeNow()
}

object IndexModel {

  /** Tuples below every position of a scenario, one for each key from 0 on: T_S has two nodes at
    * depth 1.
    */
  val Background: Int = ImmutableBPlusTree.Fanout * ImmutableBPlusTree.Fanout + 4

  /** Two keys of each of the two subindexes. */
  def keyOf(i: Int): Long = Background - 7L + i
}

class PimTreeModel extends IndexModel {
  import IndexModel.Background

  private val tree = new ConcurrentPimTree(MergePolicy(1000, 1), insertionDepth = 1)
  (0 until Background).foreach(i => tree.add(i.toLong, Long.MinValue + i))
  tree.tryMerge()
  tree.expireBefore(Long.MinValue + Background / 2)
  assert(tree.partitions > 1)

  protected def add(key: Long, position: Long): Unit = tree.add(key, position)

  protected def positions(key: Long): Seq[Long] = {
    val out = new PositionBuffer
    tree.search(key, key, Long.MinValue + Background, Long.MaxValue, out)
    (0 until out.size).map(out(_))
  }

  protected def mergeNow(): Unit = {
    tree.tryMerge()
    ()
  }
}

/** The definition: a bag of tuples. */
class SequentialIndexModel extends IndexModel {
  private var tuples = Vector.empty[(Long, Long)]

  protected def add(key: Long, position: Long): Unit = tuples :+= ((key, position))
  protected def positions(key: Long): Seq[Long] = tuples.filter(_._1 == key).map(_._2)
  protected def mergeNow(): Unit = ()
}
