package io.scalegate.matrix

/** Workers in a grid with a dimension for each stream (DP-Join §III-C, Fig. 2): stream `a` is cut
  * into `extents(a)` segments, and the workers whose a-th coordinate is `c` share its segment `c`.
  * So every combination of segments, one of each stream, meets in exactly one worker.
  *
  * With two streams R and S a worker's coordinates are its row and its column, and the workers of
  * a row share a segment of R. With three, a segment is shared by a plane of the cube.
  */
final private[scalegate] class Topology(extents: IndexedSeq[Int]) {
  private[this] val strides = extents.indices.map(d => extents.drop(d + 1).product)

  def streams: Int = extents.length

  def workers: Int = extents.product

  /** The segments of a stream. */
  def segments(stream: Int): Int = extents(stream)

  def coordinate(worker: Int, stream: Int): Int = worker / strides(stream) % extents(stream)

  /** The worker that hands on a stream's tuples to `worker`: its neighbour along the last of the
    * other dimensions in which it is not the first. None where it is the first in all of them: it
    * is sent the tuples by the emitter, and writes the segment.
    */
  def upstream(worker: Int, stream: Int): Option[Int] =
    extents.indices.reverse
      .find(d => d != stream && coordinate(worker, d) > 0)
      .map(d => worker - strides(d))
}
