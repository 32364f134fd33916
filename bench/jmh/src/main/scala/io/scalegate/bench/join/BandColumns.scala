package io.scalegate.bench.join

import java.nio.file.{Files, Path}
import java.nio.{ByteBuffer, ByteOrder}

/** One stream of the band join's data sets: event times in milliseconds, sorted, an integer
  * attribute and a float attribute, read from little-endian column files `<name>.ts.bin`,
  * `<name>.i.bin`, `<name>.f.bin`.
  */
final class BandColumns(val ts: Array[Long], val i: Array[Int], val f: Array[Float]) {
  def size: Int = ts.length

  /** Every n-th tuple. */
  def every(n: Int): BandColumns = {
    val kept = Array.range(0, size, n)
    new BandColumns(kept.map(ts), kept.map(i), kept.map(f))
  }
}

object BandColumns {
  def read(directory: Path, name: String): BandColumns = {
    val ts = bytes(directory, s"$name.ts.bin").asLongBuffer()
    val i = bytes(directory, s"$name.i.bin").asIntBuffer()
    val f = bytes(directory, s"$name.f.bin").asFloatBuffer()
    require(
      ts.remaining() == i.remaining() && i.remaining() == f.remaining(),
      s"the columns of $name in $directory differ in length"
    )
    val columns = new BandColumns(
      new Array[Long](ts.remaining()),
      new Array[Int](i.remaining()),
      new Array[Float](f.remaining())
    )
    ts.get(columns.ts)
    i.get(columns.i)
    f.get(columns.f)
    columns
  }

  private[this] def bytes(directory: Path, file: String): ByteBuffer =
    ByteBuffer.wrap(Files.readAllBytes(directory.resolve(file))).order(ByteOrder.LITTLE_ENDIAN)
}
