package io.scalegate.stress.matrix;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.band.AttributeType;
import io.scalegate.matrix.Segment;
import io.scalegate.matrix.SegmentView;
import io.scalegate.stream.Side;
import io.scalegate.stream.StreamTuple;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import scala.collection.immutable.IndexedSeq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A segment's writer appends to a ring of two rows, which must grow or be cleared, while two sharers
 * read, one keeping the last row and the other the last three.
 */
@JCStressTest
@Outcome(
    id = "true, true",
    expect = ACCEPTABLE,
    desc = "sharers find every row until they expire it, and nothing stays after both have")
@Outcome(id = "true, false", expect = FORBIDDEN, desc = "a row is held that no sharer needs")
@Outcome(expect = FORBIDDEN, desc = "a sharer misses a row, or finds it cleared or overwritten")
@State
public class SharedSegment {
  private static final int ROWS = 5;
  private static final Side R = Side.R$.MODULE$;
  private static final AttributeType LONG = AttributeType.Int64$.MODULE$;
  private static final IndexedSeq<AttributeType> TYPES =
      CollectionConverters.asScala(List.of(LONG)).toIndexedSeq();

  private final Segment segment = new Segment(TYPES, 2, 2);
  private final SegmentView one = new SegmentView(segment, 0);
  private final SegmentView other = new SegmentView(segment, 1);

  @Actor
  public void write() {
    for (long i = 0; i < ROWS; i++) {
      segment.append(i, i, new StreamTuple(i, 0, i, R, new long[] {10 + i}, "row"));
      segment.release();
    }
  }

  @Actor
  public void read(ZZ_Result r) {
    r.r1 = isSound(3);
  }

  @Arbiter
  public void rest(ZZ_Result r) {
    r.r1 &= isSound(1) && one.taken() == ROWS && other.taken() == ROWS;
    for (SegmentView view : List.of(one, other)) {
      view.expireBefore(ROWS);
      view.publish();
    }
    segment.release();
    boolean isEmpty = true;
    for (int slot = 0; slot < segment.rows().capacity(); slot++) {
      isEmpty &= segment.rows().tuple(slot) == null;
    }
    r.r2 = isEmpty;
  }

  private boolean isSound(int rounds) {
    boolean sound = true;
    for (int round = 0; round < rounds; round++) {
      sound &= readAll(one, 1);
      sound &= readAll(other, 3);
    }
    return sound;
  }

  private static boolean readAll(SegmentView view, int window) {
    boolean sound = true;
    view.refresh();
    while (view.nextOrdinal() < Long.MAX_VALUE) {
      view.take();
      sound &= isWhole(view);
      view.expireBefore(view.taken() - window);
      sound &= isWhole(view);
    }
    view.publish();
    return sound;
  }

  private static boolean isWhole(SegmentView view) {
    boolean whole = true;
    for (int i = 0; i < view.size(); i++) {
      long expected = view.taken() - view.size() + i;
      int slot = view.slot(i);
      StreamTuple t = view.rowAt(slot);
      whole &= t != null && t.seq() == expected && view.longs(0)[slot] == 10 + expected;
    }
    return whole;
  }
}
