package io.scalegate.multiway.function

import java.nio.charset.StandardCharsets.UTF_8
import java.util.function.Function

import org.apache.datasketches.hll.Union

/** The number of different values, about: HyperLogLog of `2^precision` registers, by
  * DataSketches, which has to be on the class path. Whole numbers of any width are the same
  * values, and so are floats and doubles; null is a value.
  *
  * A register is a maximum, and the estimate used here is read off the registers alone: so the
  * order of tuples and merges changes nothing, not even in the last digit.
  */
final private[scalegate] class ApproximateDistinct[T](
    value: Function[T, _ <: AnyRef],
    precision: Int
) extends AggregateFunction[T, Union, Double] {
  require(
    precision >= ApproximateDistinct.Least && precision <= ApproximateDistinct.Most,
    s"a sketch's precision is from ${ApproximateDistinct.Least} to ${ApproximateDistinct.Most}, " +
      s"not $precision"
  )

  def name: String = "approximate count distinct"

  def create(): Union = new Union(precision)

  def add(state: Union, tuple: T): Union = {
    value(tuple) match {
      case n @ (_: java.lang.Long | _: Integer | _: java.lang.Short | _: java.lang.Byte) =>
        state.update(n.asInstanceOf[Number].longValue)
      case d @ (_: java.lang.Double | _: java.lang.Float) =>
        state.update(d.asInstanceOf[Number].doubleValue)
      case s: String => state.update(ApproximateDistinct.tagged(1, s.getBytes(UTF_8)))
      case b: Array[Byte] => state.update(ApproximateDistinct.tagged(2, b))
      case null => state.update(ApproximateDistinct.Null)
      case other => throw new IllegalArgumentException(
          s"a sketch takes numbers, strings and bytes, not ${other.getClass.getName}; map the " +
            "value to one of them"
        )
    }
    state
  }

  def merge(a: Union, b: Union): Union = {
    if (!b.isEmpty) a.update(b.getResult)
    a
  }

  def result(state: Union): Double = state.getCompositeEstimate
}

private[scalegate] object ApproximateDistinct {
  val Least = 7
  val Most = 21
  private val Null = Array[Byte](0)

  /** Bytes that are no other type's: DataSketches leaves out what is empty. */
  private def tagged(tag: Byte, bytes: Array[Byte]): Array[Byte] = {
    val all = new Array[Byte](bytes.length + 1)
    all(0) = tag
    System.arraycopy(bytes, 0, all, 1, bytes.length)
    all
  }
}
