package io.scalegate.spark.join.stream.hotkeys

import io.scalegate.spark.rows.PartitionIds
import io.scalegate.stream.Side

/** Hands a batch's [[SplitBatch]] from the node of a join to the nodes that split its inputs. The join is executed
  * first, and begins the batch. Driver only; one thread. It holds one batch, which does not travel with the plan.
  */
final class HotKeySplitting extends Serializable {
  @transient private[this] var batch: SplitBatch = _

  def begin(next: SplitBatch): Unit = batch = next

  def current: SplitBatch = {
    require(batch != null, "the input of a join is executed before the join")
    batch
  }
}

/** Which partitions a row goes to, by the hash of its key. Made on the driver for a batch; travels to the tasks, and
  * never changes.
  *
  * @param isSingle
  *   whether a row of a hot key goes to one of its cells, and not to all
  */
final private[spark] class KeyRouter private (
    keys: Array[Int],
    val isSingle: Boolean,
    cells: Array[Array[Long]],
    ids: Array[Long]
) extends Serializable {

  /** Of a hot key its number, of another one a negative number. */
  def find(key: Int): Int =
    if (keys.length == 0) -1 else java.util.Arrays.binarySearch(keys, key)

  /** The cell of a row that goes to its key's home. */
  def home(key: Int): Long = ids(Math.floorMod(key, ids.length))

  /** The cells that a row of this hot key may go to, the home first. */
  def cellsOf(number: Int): Array[Long] = cells(number)
}

private[spark] object KeyRouter {
  def apply(hot: HotKeys, side: Side, partitions: Int): KeyRouter = {
    val ids = PartitionIds.all(partitions)
    val isSingle = hot.single.contains(side)
    val sorted = hot.keys.toArray.sortBy(_._1)
    val cells = sorted.map { case (key, replicas) =>
      val takers = replicas.filter(_.phase == Replica.Serving || !isSingle)
      (Math.floorMod(key, partitions) +: takers.map(_.partition)).map(ids(_)).toArray
    }
    new KeyRouter(sorted.map(_._1), isSingle, cells, ids)
  }
}
