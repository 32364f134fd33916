package io.scalegate.stream

/** Maps attribute values to integers whose natural order is the order of SQL comparison.
  *
  * Floating-point numbers map so that NaN is the largest value and equal to itself, and −0.0 equals 0.0,
  * which is how Spark compares. One integer comparison per test then serves every type.
  */
object SortableKey {
  def ofFloat(f: Float): Int = {
    val bits =
      java.lang.Float.floatToIntBits(f + 0.0f) // −0.0 + 0.0 is 0.0; NaN becomes canonical
    bits ^ ((bits >> 31) & Int.MaxValue)
  }

  def toFloat(key: Int): Float =
    java.lang.Float.intBitsToFloat(key ^ ((key >> 31) & Int.MaxValue))

  def ofDouble(d: Double): Long = {
    val bits = java.lang.Double.doubleToLongBits(d + 0.0)
    bits ^ ((bits >> 63) & Long.MaxValue)
  }

  def toDouble(key: Long): Double =
    java.lang.Double.longBitsToDouble(key ^ ((key >> 63) & Long.MaxValue))
}
