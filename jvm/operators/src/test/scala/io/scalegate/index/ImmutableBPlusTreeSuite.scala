package io.scalegate.index

import java.util.SplittableRandom

import org.scalatest.funsuite.AnyFunSuite

/** The immutable tree against a scan of the run that it is built from. */
class ImmutableBPlusTreeSuite extends AnyFunSuite {
  private val F = ImmutableBPlusTree.Fanout
  private val sizes =
    Seq(0, 1, 2, F - 1, F, F + 1, F * F - 1, F * F, F * F + 1, F * F * F, F * F * F + 1)

  private def build(keys: Seq[Long]): ImmutableBPlusTree = {
    val tree = new BPlusTree
    keys.zipWithIndex.foreach { case (key, i) => tree.insert(key, 0, i.toLong) }
    val run = new SortedRun
    run.append(tree)
    new ImmutableBPlusTree(run)
  }

  private def found(tree: ImmutableBPlusTree, lo: Long, hi: Long): Seq[Long] = {
    val out = new PositionBuffer
    tree.search(new RangeQuery().keys(lo, hi), Long.MinValue, out)
    (0 until out.size).map(out(_))
  }

  private def keysOf(size: Int, spread: Int): Seq[Long] = {
    val random = new SplittableRandom(size.toLong)
    Seq.fill(size)(random.nextInt(spread).toLong) ++ Seq(Long.MinValue, Long.MaxValue).take(
      size / 9
    )
  }

  for (size <- sizes; spread <- Seq(1, 20, 1000000))
    test(s"$size tuples over $spread keys are found in the order of their keys") {
      val keys = keysOf(size, spread)
      val tree = build(keys)
      val sorted = keys.zipWithIndex.sortBy(_._1)
      def expected(lo: Long, hi: Long) =
        sorted.filter { case (k, _) => lo <= k && k <= hi }.map(_._2.toLong)
      val bounds =
        Seq(Long.MinValue, -1L, 0L, 3L, spread / 2L, spread - 1L, spread + 0L, Long.MaxValue)
      for (lo <- bounds; hi <- bounds) assert(found(tree, lo, hi) == expected(lo, hi))
    }

  for (size <- sizes; spread <- Seq(1, 20, 1000000))
    test(
      s"the nodes of $size tuples over $spread keys share out all keys, in order, at any depth"
    ) {
      val tree = build(keysOf(size, spread))
      val probes = Seq(Long.MinValue, Long.MaxValue) ++ (-1 to 40).map(_ * (spread / 37 + 1L))
      for (depth <- 0 to tree.height) {
        val nodes = probes.sorted.map(tree.node(depth, _))
        assert(nodes == nodes.sorted && nodes.forall(n => 0 <= n && n < tree.nodesAt(depth)))
        for (key <- probes) {
          val n = tree.node(depth, key)
          assert(n == tree.nodesAt(depth) - 1 || key <= tree.lastKey(depth, n))
          assert(n == 0 || key > tree.lastKey(depth, n - 1))
        }
      }
      assert(tree.nodesAt(0) == 1)
    }

  test("a merge keeps the order, the older of equal keys first, and drops what has expired") {
    val random = new SplittableRandom(5)
    for (
      olderSize <- sizes.take(8); newerSize <- Seq(0, 1, 5, 300); earliest <- Seq(-1, 50, 100000)
    ) {
      val older = new SortedRun
      val newer = new SortedRun
      val all = Seq((older, olderSize, 0L), (newer, newerSize, 1000L)).flatMap {
        case (run, size, from) =>
          val tree = new BPlusTree
          val tuples = Seq.tabulate(size)(i => (random.nextInt(60).toLong, from + i))
          tuples.foreach { case (key, position) => tree.insert(key, position.toInt, position) }
          run.append(tree)
          tuples
      }
      val merged = new SortedRun
      merged.merge(older, newer, earliest.toLong)
      val result =
        merged.keys.toSeq.zip(merged.positions.toSeq).take(merged.size)
      assert(result == all.sorted.filter(_._2 >= earliest))
      assert(merged.values.toSeq.take(merged.size) == result.map(_._2.toInt))
    }
  }
}
