package io.scalegate.multiway

import java.util.function.LongSupplier

import io.scalegate.stream.StreamTuple

/** When an input that says nothing no longer holds the others' results back.
  *
  * @param timeout
  *   nanoseconds of the clock
  * @param onLate
  *   gets each tuple that comes too late because of it, on the input's thread. The input is silent
  *   meanwhile, and nothing else waits for it. An exception from it ends the aggregate.
  * @param clock
  *   nanoseconds from any point on, never falling
  */
final case class Idleness(
    timeout: Long,
    onLate: StreamTuple => Unit = _ => (),
    clock: LongSupplier = () => System.nanoTime
) {
  require(timeout > 0, s"a timeout must be positive, not $timeout ns")
}
