import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.index.{ConcurrentPimTree, MergePolicy}
import io.scalegate.indexjoin.ParallelIndexJoin
import io.scalegate.join.ordered.ScaleJoin
import io.scalegate.join.{JoinSpec, JoinStrategy, RunningJoin}
import io.scalegate.stream.{Side, StreamTuple, TimeWindow}

/** Joins two streams by a band within a window of time: by core's join, and by the operators' index join. */
object Consumer {
  private val Rows = 100

  def main(args: Array[String]): Unit = {
    val spec = JoinSpec(TimeWindow(-1, 1), Vector(IntegralBand(AttributeType.Int64, 0, 0)))
    show("core", new ScaleJoin(2), spec)
    val index = (rows: Int) => new ConcurrentPimTree(MergePolicy(rows, mergeRatio = 0.25))
    show("operators", new ParallelIndexJoin(2, index), spec)
  }

  private def show(artifact: String, strategy: JoinStrategy, spec: JoinSpec): Unit = {
    val join = strategy.open(spec, Vector(Side.R, Side.S))
    try println(s"$artifact: ${pairs(join)}")
    finally join.close()
  }

  /** One thread feeds both sources, in merged order, and takes the results. */
  private def pairs(join: RunningJoin): Int = {
    var found = 0
    def drain(): Unit = while (join.poll() != null) found += 1
    for (time <- 0 until Rows; source <- join.sources) {
      // Two neighbours in time of which one has the same attribute.
      val attributes = Array((time / 2).toLong)
      val tuple = new StreamTuple(time.toLong, source.id, time.toLong, source.side, attributes, "row")
      while (!source.tryAdd(tuple)) drain()
    }
    join.sources.foreach(_.close())
    while (!join.isDone) drain()
    found
  }
}
