package io.scalegate.stress.index;

import io.scalegate.index.ConcurrentPimTree;
import io.scalegate.index.MergePolicy;
import io.scalegate.index.PositionBuffer;

/**
 * A PIM-Tree whose T_S has several nodes at the insertion depth, and what the stress tests do with
 * it. Merges come only when a test asks for one. Results read as in "1 2".
 */
abstract class IndexState {
  private static final int BACKGROUND = 300;

  /** Keys of different subindexes. */
  static final long LOW = 20;
  static final long HIGH = 280;

  final ConcurrentPimTree tree = new ConcurrentPimTree(new MergePolicy(100_000, 1), 1);

  /** The tuples that T_S begins with have negative positions. */
  IndexState() {
    for (int key = 0; key < BACKGROUND; key++) {
      tree.add(key, key - BACKGROUND);
    }
    tree.tryMerge();
    if (tree.partitions() < 2) {
      throw new IllegalStateException("one subindex tests nothing");
    }
  }

  /** The positions from 0 on of what has a key in [lo, hi]; a tuple that is found twice is too. */
  String search(long lo, long hi) {
    PositionBuffer found = new PositionBuffer(16);
    tree.search(lo, hi, 0, Long.MAX_VALUE, found);
    found.sort();
    StringBuilder positions = new StringBuilder();
    for (int i = 0; i < found.size(); i++) {
      if (i > 0) {
        positions.append(' ');
      }
      positions.append(found.apply(i));
    }
    return positions.toString();
  }

  String searchAll() {
    return search(Long.MIN_VALUE, Long.MAX_VALUE);
  }
}
