package io.scalegate.multiway

import io.scalegate.multiway.function.StateTable
import io.scalegate.stream.StreamTuple

/** Turns states into results. */
final private[scalegate] class ResultMaker[K, S <: AnyRef, R](spec: AggregateSpec[K, S, R]) {

  /** Of tables that have no key in common. */
  def apply(start: Long, tables: Array[StateTable[StreamTuple, S]]): WindowResults[K, R] = {
    val size = tables.iterator.map(_.size).sum
    val keys = new Array[AnyRef](size)
    val values = new Array[AnyRef](size)
    var i = 0
    tables.foreach(_.foreach { (key, state) =>
      keys(i) = key
      values(i) = state
      i += 1
    })
    apply(start, keys, values)
  }

  /** Of results, each at its key's place. Both arrays go into the window's. */
  def ofResults(
      start: Long,
      keys: Array[AnyRef],
      values: Array[AnyRef]
  ): WindowResults[K, R] = {
    spec.keyOrder.foreach(KeySort(_, keys, values))
    new WindowResults[K, R](start, spec.windows.end(start), keys, values)
  }

  private[this] def apply(
      start: Long,
      keys: Array[AnyRef],
      values: Array[AnyRef]
  ): WindowResults[K, R] = {
    spec.keyOrder.foreach(KeySort(_, keys, values))
    var i = 0
    while (i < values.length) {
      values(i) = spec.function.result(values(i).asInstanceOf[S]).asInstanceOf[AnyRef]
      i += 1
    }
    new WindowResults[K, R](start, spec.windows.end(start), keys, values)
  }
}

/** Sorts keys, and what belongs to each with them. */
private[scalegate] object KeySort {
  def apply[K](order: Ordering[K], keys: Array[AnyRef], values: Array[AnyRef]): Unit = {
    val ofKeys = order.asInstanceOf[Ordering[AnyRef]]
    val numbers = Array.tabulate[Integer](keys.length)(Integer.valueOf(_))
    java.util.Arrays.sort(numbers, (a: Integer, b: Integer) => ofKeys.compare(keys(a), keys(b)))
    val oldKeys = keys.clone()
    val oldValues = values.clone()
    var i = 0
    while (i < numbers.length) {
      keys(i) = oldKeys(numbers(i))
      values(i) = oldValues(numbers(i))
      i += 1
    }
  }
}
