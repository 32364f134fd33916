package io.scalegate.bench.index

import java.util.SplittableRandom

/** The keys of streams, and a band that matches so many tuples of the opposite window on average
  * (PIM-Tree §5).
  *
  * @param distribution
  *   `uniform`; `gaussian`, with a deviation of an eighth of the key space; `gamma/K/THETA`, with a
  *   whole number as shape (§5.2, Fig. 13a); or `drift/R`, a Gaussian of variance 1/8 whose mean moves
  *   by R key spaces (Fig. 13c), by one where that is left out
  * @param window
  *   `w`, tuples of each stream
  * @param matches
  *   `σ_s`, on average
  */
final class BandKeys(distribution: String, window: Int, matches: Double) {
  private[this] val random = new SplittableRandom(window.toLong)
  private[this] val drawn: BandKeys.Drawn = distribution.split('/') match {
    case Array("uniform") => BandKeys.Drawn(1.0, _ => random.nextDouble())
    case Array("gaussian") =>
      val deviation = 0.125
      BandKeys.Drawn(BandKeys.concentration(deviation), _ => 0.5 + deviation * gaussian())
    case Array("drift", shift @ _*) if shift.size <= 1 =>
      val (by, deviation) = (shift.headOption.fold(1.0)(_.toDouble), math.sqrt(0.125))
      BandKeys.Drawn(
        BandKeys.concentration(deviation),
        progress => 0.5 + by * progress + deviation * gaussian()
      )
    case Array("gamma", shape, scale) =>
      val (k, theta) = (shape.toInt, scale.toDouble)
      BandKeys.Drawn(BandKeys.concentration(k, theta), _ => gamma(k, theta))
    case _ =>
      throw new IllegalArgumentException(
        s"there is no distribution $distribution; give uniform, gaussian, drift/R or gamma/K/THETA"
      )
  }

  /** A band of ±diff: the chance that two tuples lie so near is the density's integral of squares
    * times the width.
    */
  val diff: Long = (matches / window / drawn.concentration / 2 * BandKeys.Space).toLong

  /** The next key.
    *
    * @param progress
    *   how much of the drift is over, from 0 to 1
    */
  def next(progress: Double): Long = (drawn.key(progress) * BandKeys.Space).toLong

  private[this] def gaussian(): Double =
    math.sqrt(2 * exponential()) * math.cos(2 * math.Pi * random.nextDouble())

  private[this] def gamma(shape: Int, scale: Double): Double = {
    var sum = 0.0
    var i = 0
    while (i < shape) {
      sum += exponential()
      i += 1
    }
    sum * scale
  }

  private[this] def exponential() = -math.log(1 - random.nextDouble())
}

private object BandKeys {

  /** Uniform keys are spread over `[0, 2^40)`, so hardly any occurs twice in a window. */
  val Space: Double = (1L << 40).toDouble

  /** @param concentration
    *   the integral of the density's square
    * @param key
    *   by the progress; as a multiple of the key space
    */
  final case class Drawn(concentration: Double, key: Double => Double)

  /** Of a Gaussian. */
  def concentration(deviation: Double): Double = 1 / (2 * deviation * math.sqrt(math.Pi))

  /** Of a Gamma distribution: `(2k-2)! / ((k-1)!² 2^(2k-1) θ)`. */
  def concentration(shape: Int, scale: Double): Double =
    factorial(2 * shape - 2) / math.pow(factorial(shape - 1), 2) / math.pow(
      2,
      2.0 * shape - 1
    ) / scale

  private[this] def factorial(n: Int): Double = (2 to n).map(_.toDouble).product
}
