package io.scalegate.spark.around

import scala.util.Random

/** Draws by chance, the same for the same seed. */
final class Draw(random: Random) {
  def oneOf[T](from: Seq[T]): T = from(random.nextInt(from.size))

  /** One of these, each as often as its number says. */
  def weighted[T](from: (Int, T)*): T = oneOf(from.flatMap { case (times, it) =>
    Seq.fill(times)(it)
  })

  def chance(percent: Int): Boolean = random.nextInt(100) < percent

  def below(n: Int): Int = random.nextInt(n)
}
