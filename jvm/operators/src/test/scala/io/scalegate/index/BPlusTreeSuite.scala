package io.scalegate.index

import java.util.SplittableRandom

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

/** The mutable tree under insertions and removals in any order, which the index does not do. */
class BPlusTreeSuite extends AnyFunSuite {
  private def entries(tree: BPlusTree): Seq[(Long, Long)] = {
    val run = new SortedRun
    run.append(tree)
    run.keys.toSeq.zip(run.positions.toSeq).take(run.size)
  }

  for ((range, shrinks) <- Seq((3, false), (500, false), (1 << 30, false), (500, true)))
    test(s"random insertions and removals over $range keys${if (shrinks) ", then few" else ""}") {
      val random = new SplittableRandom(7)
      val tree = new BPlusTree
      val model = mutable.TreeMap.empty[(Long, Long), Unit]
      for (i <- 0 until 30000) {
        val removing = if (shrinks && i > 15000) 60 else 45
        val key = random.nextInt(range).toLong
        if (random.nextInt(100) >= removing) {
          tree.insert(key, 0, i.toLong)
          model.put((key, i.toLong), ())
        } else {
          val first = model.minAfter((key, Long.MinValue)).map(_._1)
          val victim = if (random.nextInt(4) == 0) key else first.fold(key)(_._1)
          val oldest = model.minAfter((victim, Long.MinValue)).map(_._1).filter(_._1 == victim)
          assert(tree.removeFirst(victim) == oldest.isDefined)
          oldest.foreach(model.remove)
        }
        assert(tree.size == model.size)
        if (i % 500 == 0) assert(entries(tree) == model.keys.toSeq)
      }
      model.keys.toSeq.foreach { case (key, _) => assert(tree.removeFirst(key)) }
      assert(tree.size == 0 && entries(tree).isEmpty && !tree.removeFirst(1))
    }

  test("rising keys and one key fill the leaves") {
    for (key <- Seq[Int => Long](_.toLong, _ => 7L)) {
      val tree = new BPlusTree
      (0 until 32 * 1024).foreach(i => tree.insert(key(i), 0, i.toLong))
      assert(tree.bytes < 32 * 1024 * 20 * 1.2)
    }
  }

  test("a tree that was reset starts over in the arrays that it has") {
    val tree = new BPlusTree
    (0 until 1000).foreach(i => tree.insert(i.toLong, 0, i.toLong))
    val bytes = tree.bytes
    tree.reset()
    assert(entries(tree).isEmpty)
    (5 until 1005).foreach(i => tree.insert(i.toLong, 0, i.toLong))
    assert(entries(tree) == (5 until 1005).map(i => (i.toLong, i.toLong)))
    assert(tree.bytes == bytes)
  }
}
