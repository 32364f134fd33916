package io.scalegate.spark.rows

import org.apache.spark.unsafe.hash.Murmur3_x86_32

/** Ids, each given once, that an exchange by their hash brings to the partition of one's choice. Which partition an id
  * goes to is a matter of balance alone: joins are right wherever it lands. Used by the driver; one thread.
  */
final private[spark] class PartitionIds(partitions: Int) {
  private[this] var last = 0L

  def next(partition: Int): Long = {
    require(partition >= 0 && partition < partitions, s"no partition $partition of $partitions")
    do last += 1 while (PartitionIds.partitionOf(last, partitions) != partition)
    last
  }
}

private[spark] object PartitionIds {

  /** One for each partition, in their order: always the same. */
  def all(partitions: Int): Array[Long] = {
    val ids = new PartitionIds(partitions)
    Array.tabulate(partitions)(ids.next)
  }

  /** Where Spark's hash partitioning by one BIGINT column puts a row. */
  def partitionOf(id: Long, partitions: Int): Int =
    Math.floorMod(Murmur3_x86_32.hashLong(id, Seed), partitions)

  private[this] val Seed = 42
}
