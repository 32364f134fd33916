package io.scalegate.matrix.cube

import io.scalegate.join.JoinOptions

/** The join of three streams by a cube of workers: the extension of the matrix join that DP-Join
  * (§III-C, last paragraph) leaves open. A tuple of R goes to one of the cube's planes across the
  * first dimension, which share its segment of R's window, and likewise for S and T; so each triple
  * meets in one worker. A tuple enters its plane at the corner that writes the segment, and marks
  * are forwarded from there, over the lines of the plane and along each.
  *
  * What a result is says [[CubeSpec]]; results come in the order of [[CubeResultOrder]], whatever
  * the interleaving of the sources and the layout. Windows are in time.
  */
final class CubeJoin(layout: CubeLayout) {
  def name: String = s"CubeJoin($layout)"

  /** Starts a join whose i-th source delivers tuples of `sources(i)`. A tuple's `source` tells its
    * stream; its `side` is not looked at. The caller closes the join.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the windows of `spec` exclude each other, or its bands disagree on an attribute's type
    */
  def open(
      spec: CubeSpec,
      sources: IndexedSeq[CubeStream],
      options: JoinOptions = JoinOptions()
  ): RunningCubeJoin = {
    val join = new RunningCubeJoin(spec.narrowed, sources, options, layout)
    join.start()
    join
  }
}
