package io.scalegate.bench.figure

import java.util.SplittableRandom

import io.scalegate.stream.SortableKey

/** The attributes of the band join's benchmark: a whole number and a float, both uniform in [1, 10000]. */
final private[figure] class UniformPairs(seed: Long) {
  private[this] val random = new SplittableRandom(seed)

  /** Of the next tuple, as a join takes them. */
  def next(): Array[Long] = {
    val float = 1 + random.nextDouble() * (UniformPairs.Values - 1)
    Array(
      1 + random.nextInt(UniformPairs.Values).toLong,
      SortableKey.ofFloat(float.toFloat).toLong
    )
  }
}

private[figure] object UniformPairs {
  private val Values = 10000

  /** How many pairs have |x - a| <= 10 and |y - b| <= 10. */
  val HitRate: Double = {
    val near = (21.0 * Values - 110) / Values / Values
    val outside = 1 - 10.0 / (Values - 1)
    near * (1 - outside * outside)
  }
}
