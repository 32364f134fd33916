package io.scalegate.multiway.queries

import java.util.SplittableRandom

import io.scalegate.stream.{Side, StreamTuple}

/** A reading of a meter. */
final class Reading(val meter: java.lang.Long, val kwh: Double)

/** A user's comment on a song. */
final class Comment(val song: java.lang.Long, val text: String)

/** Streams of the shape of multiway aggregation's two data sets (§7.1), which are not public:
  * generated from a fixed seed. Times are in milliseconds.
  */
object QueryData {
  private val NoAttributes = new Array[Long](0)
  private val Seed = 20140623L

  /** Each of 243 meters reads ten times a second, at an offset of its own; its readings come by
    * any of the inputs, as in a mesh network.
    */
  def energy(inputs: Int, tuples: Int): Array[StreamTuple] = {
    val random = new SplittableRandom(Seed)
    val meters = Array.tabulate(243)(i => java.lang.Long.valueOf(1000003L * i))
    val offsets = Array.fill(243)(random.nextInt(100)).sorted
    streams(inputs, tuples, random) { i =>
      val kwh = random.nextDouble()
      (i / 243 * 100L + offsets(i % 243), new Reading(meters(i % 243), kwh * kwh * 3))
    }
  }

  /** A thousand comments a second on 40,000 songs, the n-th song with a share of about 1/n. One
    * text in twenty holds a mail address, one in fifty an IP address.
    */
  def comments(inputs: Int, tuples: Int): Array[StreamTuple] = {
    val random = new SplittableRandom(Seed)
    val songs = Array.tabulate(40000)(i => java.lang.Long.valueOf(7919L * i))
    val texts = Array.fill(5000)(text(random))
    streams(inputs, tuples, random) { i =>
      val song = (StrictMath.pow(songs.length + 1.0, random.nextDouble()) - 1).toInt
      (i.toLong, new Comment(songs(song), texts(random.nextInt(texts.length))))
    }
  }

  private def streams(inputs: Int, tuples: Int, random: SplittableRandom)(
      row: Int => (Long, AnyRef)
  ): Array[StreamTuple] =
    Array.tabulate(tuples) { i =>
      val of = row(i)
      new StreamTuple(of._1, random.nextInt(inputs), i.toLong, Side.R, NoAttributes, of._2)
    }

  private def text(random: SplittableRandom): String = {
    val words = Vector.fill(8 + random.nextInt(16))(word(random))
    val kind = random.nextInt(100)
    val extra =
      if (kind < 5) Vector(s"${word(random)}.${word(random)}@${word(random)}.com")
      else if (kind < 7) Vector(Seq.fill(4)(random.nextInt(256)).mkString("."))
      else Vector.empty
    val cut = random.nextInt(words.size)
    (words.take(cut) ++ extra ++ words.drop(cut)).mkString(" ")
  }

  private def word(random: SplittableRandom): String =
    Seq.fill(2 + random.nextInt(8))(('a' + random.nextInt(26)).toChar).mkString
}
