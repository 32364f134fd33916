package io.scalegate.bench.index

import io.scalegate.index.{ConcurrentPimTree, MergePolicy}

/** How the insertions of a stream whose keys drift are shared among a PIM-Tree's subindexes (PIM-Tree
  * §5.2, Fig. 13b): keys of a Gaussian of variance 1/8, three windows of them at rest, then those whose
  * mean moves by `r` key spaces. The merge ratio is one. What the subindexes hold when a merge is due is
  * what was inserted since the one before; the shares are means over the merges of the drift. Prints one
  * line of JSON for each `r`: the share of the insertions that the fullest subindex gets, those that the
  * fullest 10 % of them get, and so on, and the part of the subindexes that get less than a tenth of
  * their even share.
  *
  * Arguments: the logarithm of the window, the insertion depth, the windows of tuples that drift, and the
  * values of `r`.
  */
object InsertSharesMain {
  private[this] val Percents = Seq(1, 2, 5, 10, 20, 30, 50, 70, 100)

  def main(args: Array[String]): Unit = {
    if (args.length < 4) {
      System.err.println("arguments: LOG_WINDOW INSERTION_DEPTH WINDOWS R ...")
      sys.exit(2)
    }
    val (log, depth, windows) = (args(0).toInt, args(1).toInt, args(2).toInt)
    for (r <- args.drop(3)) {
      val begin = System.nanoTime()
      val shares = drifted(1 << log, depth, windows, r)
      val seconds = (System.nanoTime() - begin) / 1e9
      val (subindexes, merges) = (shares.map(_.length).sum / shares.size, shares.size)
      def mean(of: Array[Double] => Double) = f"${shares.map(of).sum / merges}%.4f"
      val fields = Seq(
        s""""arm": "w=2^$log/drift/$r", "threads": 1, "tuples": ${windows << log}""",
        f""""seconds": [$seconds%.4f], "subindexes": $subindexes, "merges": $merges""",
        s""""fullest": ${mean(_.head)}""",
        s""""nearly unused": ${mean(s => s.count(_ < 0.1 / s.length).toDouble / s.length)}"""
      ) ++ Percents.map { percent =>
        s""""first $percent %": ${mean(s => s.take(math.max(1, s.length * percent / 100)).sum)}"""
      }
      println(fields.mkString("{", ", ", "}"))
    }
  }

  /** The shares of the subindexes, in falling order, for each merge of the drift. */
  private[this] def drifted(
      window: Int,
      depth: Int,
      windows: Int,
      r: String
  ): Seq[Array[Double]] = {
    val keys = new BandKeys(s"drift/$r", window, 2)
    val index = new ConcurrentPimTree(MergePolicy(window, 1), depth)
    val atRest = 3L * window
    val drifting = windows.toLong * window
    val found = Seq.newBuilder[Array[Double]]
    var position = 0L
    while (position < atRest + drifting) {
      val progress = math.max(0.0, (position - atRest).toDouble / drifting)
      index.add(keys.next(progress), 0, position)
      position += 1
      index.expireBefore(position - window)
      if (index.isMergeDue) {
        // Those that came with the drift alone.
        if (position > atRest + window) found += falling(index.insertedByPartition)
        index.tryMerge()
      }
    }
    found.result()
  }

  private[this] def falling(inserted: IndexedSeq[Int]): Array[Double] = {
    val all = inserted.map(_.toLong).sum.toDouble
    inserted.map(_ / all).sortBy(-_).toArray
  }
}
