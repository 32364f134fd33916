package io.scalegate.matrix.cube

import io.scalegate.column.{WindowLimitException, WindowProbe}
import io.scalegate.join.WorkerMetrics
import io.scalegate.matrix.{SegmentView, Share, WorkerSteps}
import io.scalegate.stream.StreamTuple

/** The rows of one stream that go with a tuple, oldest first. */
final private[matrix] class CubeCandidates {
  private[this] var tuples = new Array[StreamTuple](16)
  private[this] var ordinals = new Array[Long](16)
  private[this] var count = 0

  def size: Int = count

  def tuple(k: Int): StreamTuple = tuples(k)

  /** The largest number behind the last. */
  def ordinal(k: Int): Long = if (k < count) ordinals(k) else Long.MaxValue

  def add(t: StreamTuple, ordinal: Long): Unit = {
    if (count == tuples.length) {
      tuples = java.util.Arrays.copyOf(tuples, count * 2)
      ordinals = java.util.Arrays.copyOf(ordinals, count * 2)
    }
    tuples(count) = t
    ordinals(count) = ordinal
    count += 1
  }

  /** Lets go of the tuples, and of the room if it was much. */
  def clear(): Unit = {
    if (tuples.length > CubeCandidates.Keep) {
      tuples = new Array[StreamTuple](16)
      ordinals = new Array[Long](16)
    } else java.util.Arrays.fill(tuples.asInstanceOf[Array[AnyRef]], 0, count, null)
    count = 0
  }
}

private object CubeCandidates {
  val Keep = 1024
}

/** Searches one stream's segment for the rows that go with a tuple of another. */
final private[matrix] class CubeSearch(link: CubeLink, view: SegmentView) {
  private[this] val probe = new WindowProbe(view)

  def comparisons: Long = probe.comparisons

  def search(t: StreamTuple, to: CubeCandidates): Unit =
    if (view.size > 0 && !link.isOutOfTime(t.ts)) {
      val from = view.countBefore(link.earliest(t.ts))
      val until = view.countUpTo(link.latest(t.ts))
      if (from < until) {
        val found = probe.search(from, until, link.rangesOf(t))
        var k = 0
        while (k < found) {
          val slot = probe.slot(k)
          to.add(view.rowAt(slot), view.ordinalAt(slot))
          k += 1
        }
      }
    }
}

/** The three steps of one worker of the cube. Expire: a row goes when none of the other two
  * streams can bring a tuple for it any more. Probe: with the tuple that comes, which is the latest
  * of its triples, the segments of the other two; what is found there is compared with each other,
  * the later before the earlier, in their order. Insert it into its own.
  *
  * @param spec
  *   narrowed
  * @param emit
  *   takes a latest, a middle and an earliest tuple that the windows and bands let through, and
  *   says whether they are a result
  */
final private[matrix] class CubeSteps(
    spec: CubeSpec,
    shares: IndexedSeq[Share],
    maxRows: Int,
    emit: (StreamTuple, StreamTuple, StreamTuple) => Boolean
) extends WorkerSteps {
  private[this] val streams = CubeStream.all
  private[this] val views = shares.map(_.view).toArray
  private[this] val links = streams.map(from =>
    streams.map(to => if (from eq to) null else spec.link(from, to)).toArray
  ).toArray
  private[this] val searches = links.map(from =>
    from.indices.map(to => if (from(to) == null) null else new CubeSearch(from(to), views(to))).toArray
  )
  private[this] val found = Array.fill(streams.length)(new CubeCandidates)
  private[this] var compared = 0L
  private[this] var matched = 0L

  def step(stream: Int, t: StreamTuple, ordinal: Long): Unit = {
    val a = if (stream == 0) 1 else 0
    val b = 3 - stream - a
    expire(t.ts)
    if (t.ts >= spec.from) probe(stream, t, a, b)
    insert(views(stream))
  }

  private[this] def probe(stream: Int, t: StreamTuple, a: Int, b: Int): Unit = {
    searches(stream)(a).search(t, found(a))
    if (found(a).size > 0) searches(stream)(b).search(t, found(b))
    if (found(b).size > 0) combine(t, a, b)
    found(a).clear()
    found(b).clear()
  }

  def metrics: WorkerMetrics = {
    val written = shares.filter(_.writes).map(_.view)
    WorkerMetrics(
      compared + searches.iterator.flatten.filter(_ != null).map(_.comparisons).sum,
      matched,
      written.map(_.stored).sum,
      written.map(_.peak.toLong).sum
    )
  }

  private[this] def insert(view: SegmentView): Unit = {
    if (view.size >= maxRows) throw new WindowLimitException(view.size, maxRows)
    view.take()
  }

  /** Drops what no tuple at `ts` or later, of either other stream, can go with. */
  private[this] def expire(ts: Long): Unit = {
    var to = 0
    while (to < views.length) {
      var needed = Long.MaxValue
      var from = 0
      while (from < views.length) {
        if (from != to) needed = math.min(needed, links(from)(to).earliest(ts))
        from += 1
      }
      views(to).expireBefore(needed)
      to += 1
    }
  }

  /** Takes the candidates of both streams in their order, each as the middle one. */
  private[this] def combine(latest: StreamTuple, a: Int, b: Int): Unit = {
    val as = found(a)
    val bs = found(b)
    var i = 0
    var j = 0
    while (i < as.size || j < bs.size)
      if (as.ordinal(i) < bs.ordinal(j)) {
        join(latest, as.tuple(i), links(a)(b), bs, j)
        i += 1
      } else {
        join(latest, bs.tuple(j), links(b)(a), as, i)
        j += 1
      }
  }

  /** With the `until` oldest candidates, which lie before `middle`. */
  private[this] def join(
      latest: StreamTuple,
      middle: StreamTuple,
      link: CubeLink,
      candidates: CubeCandidates,
      until: Int
  ): Unit =
    if (until > 0 && !link.isOutOfTime(middle.ts)) {
      val from = link.earliest(middle.ts)
      val to = link.latest(middle.ts)
      link.rangesOf(middle)
      var k = 0
      while (k < until) {
        val earliest = candidates.tuple(k)
        if (from <= earliest.ts && earliest.ts <= to && link.accepts(earliest))
          if (emit(latest, middle, earliest)) matched += 1
        k += 1
      }
      compared += until
    }
}
