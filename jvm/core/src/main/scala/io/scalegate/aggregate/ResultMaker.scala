package io.scalegate.aggregate

import io.scalegate.stream.StreamTuple

/** Turns states into results. */
final private[aggregate] class ResultMaker[K, S <: AnyRef, R](spec: AggregateSpec[K, S, R]) {
  private[this] val order =
    spec.keyOrder.map(_.asInstanceOf[Ordering[AnyRef]]).orNull

  def apply(start: Long, states: StateTable[StreamTuple, S]): WindowResults[K, R] = {
    val keys = new Array[AnyRef](states.size)
    val values = new Array[AnyRef](states.size)
    var i = 0
    states.foreach { (key, state) =>
      keys(i) = key
      values(i) = state
      i += 1
    }
    if (order != null) sort(keys, values)
    i = 0
    while (i < values.length) {
      values(i) = spec.function.result(values(i).asInstanceOf[S]).asInstanceOf[AnyRef]
      i += 1
    }
    new WindowResults[K, R](start, spec.windows.end(start), keys, values)
  }

  private[this] def sort(keys: Array[AnyRef], values: Array[AnyRef]): Unit = {
    val places = Array.tabulate[Integer](keys.length)(Integer.valueOf(_))
    java.util.Arrays.sort(places, (a: Integer, b: Integer) => order.compare(keys(a), keys(b)))
    val oldKeys = keys.clone()
    val oldValues = values.clone()
    var i = 0
    while (i < places.length) {
      keys(i) = oldKeys(places(i))
      values(i) = oldValues(places(i))
      i += 1
    }
  }
}
