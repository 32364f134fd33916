package io.scalegate.spark.settings

import java.util.{LinkedHashMap, Map => JMap}

/** A map that holds so many entries: one more drops the entry that was asked for, or put there, before all others. One
  * thread at a time: for the driver's small caches, whose owners synchronize.
  */
final class BoundedMap[K, V](most: Int)
    extends LinkedHashMap[K, V](16, 0.75f, true) {
  override protected def removeEldestEntry(eldest: JMap.Entry[K, V]): Boolean = size > most
}
