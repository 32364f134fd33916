package io.scalegate.matrix.cube

import io.scalegate.partition.MatrixLayout

/** How the workers of a [[CubeJoin]] are arranged: each stream's window is cut into so many
  * segments, and each combination of three segments has a worker.
  */
final case class CubeLayout(r: Int, s: Int, t: Int) {
  require(
    r > 0 && s > 0 && t > 0,
    s"a layout needs at least one segment of each stream, not $r x $s x $t"
  )
  require(
    BigInt(r) * s * t <= MatrixLayout.MostWorkers,
    s"a layout of $r x $s x $t is ${BigInt(r) * s * t} threads, beyond the limit of " +
      s"${MatrixLayout.MostWorkers}; as many workers as cores is sensible"
  )

  def workers: Int = r * s * t

  override def toString: String = s"$r x $s x $t"
}
