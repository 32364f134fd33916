package io.scalegate.stream

import java.util.concurrent.atomic.AtomicLong

/** A rising number that one thread tells others of: written with release, read with acquire; or one
  * that stays that thread's own. Padded, so that writing it takes no other's cache line.
  */
final private[scalegate] class PaddedCounter extends AtomicLong {
  var p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15: Long = 0L
}

private[scalegate] object PaddedCounter {
  def lowest(counters: Array[PaddedCounter]): Long = {
    var lowest = Long.MaxValue
    var i = 0
    while (i < counters.length) {
      lowest = math.min(lowest, counters(i).getAcquire)
      i += 1
    }
    lowest
  }
}
