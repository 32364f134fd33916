package io.scalegate.stress.matrix;

import static io.scalegate.stress.matrix.AlternatingStreams.R;
import static io.scalegate.stress.matrix.AlternatingStreams.S;
import static io.scalegate.stress.matrix.AlternatingStreams.list;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.join.JoinSpec;
import io.scalegate.join.JoinType;
import io.scalegate.join.ordered.ReadyInput;
import io.scalegate.matrix.Emitter;
import io.scalegate.matrix.Inlet;
import io.scalegate.matrix.MatrixSteps;
import io.scalegate.matrix.MatrixWindow;
import io.scalegate.matrix.MatrixWorker;
import io.scalegate.matrix.ReaderInlet;
import io.scalegate.matrix.Segment;
import io.scalegate.matrix.SegmentView;
import io.scalegate.matrix.Share;
import io.scalegate.matrix.Topology;
import io.scalegate.matrix.WriterInlet;
import io.scalegate.stream.PaddedCounter;
import io.scalegate.stream.Sides;
import io.scalegate.stream.StreamTuple;
import io.scalegate.stream.TimeWindow;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;
import scala.Function1;
import scala.Function2;
import scala.Option;

/**
 * The two workers of a 1 x 2 matrix join, on tuples at the times 1, 2, ..., of R and S in turn: the
 * first is told by the emitter, which either may be, and forwards R to the second. No more than two
 * tuples are under way. Results read as "later-earlier ...", by worker.
 */
@JCStressTest
@Outcome(
    id = ForwardedMarks.PAIRS,
    expect = ACCEPTABLE,
    desc = "each pair at most one apart once, in order, in the worker of its S")
@Outcome(expect = FORBIDDEN, desc = "a pair is missing, doubled, out of order or out of its window")
@State
public class ForwardedMarks {
  static final String PAIRS =
      "2-1 3-2 6-5 7-6 10-9 11-10 14-13 15-14, 4-3 5-4 8-7 9-8 12-11 13-12 16-15";
  private static final int TUPLES = 16;

  private final JoinSpec spec =
      new JoinSpec(
          new TimeWindow(-1, 1), list(List.of()), Option.empty(), JoinType.Inner$.MODULE$, Long.MIN_VALUE);
  private final PaddedCounter[] passed = {new PaddedCounter(), new PaddedCounter()};
  private final Topology topology = new Topology(list(List.of((Object) 1, (Object) 2)));
  private final Emitter emitter;
  private final Segment ofR = new Segment(list(List.of()), 2, 2);
  private final StringBuilder foundFirst = new StringBuilder();
  private final StringBuilder foundSecond = new StringBuilder();
  private final MatrixWorker first;
  private final MatrixWorker second;

  public ForwardedMarks() {
    Function1<StreamTuple, Object> streamOf = AlternatingStreams::streamOf;
    ReadyInput input = new ReadyInput(AlternatingStreams.read(TUPLES));
    emitter = new Emitter(input, topology, streamOf, passed, 2);
    Inlet rOfFirst = writer(0, 0, ofR);
    first = worker(0, rOfFirst, foundFirst);
    second = worker(1, new ReaderInlet(rOfFirst), foundSecond);
  }

  @Actor
  public void first() {
    work(first);
  }

  @Actor
  public void second() {
    work(second);
  }

  @Arbiter
  public void rest(LL_Result r) {
    while (!first.isDone() || !second.isDone()) {
      first.round();
      second.round();
    }
    r.r1 = foundFirst.toString();
    r.r2 = foundSecond.toString();
  }

  private static void work(MatrixWorker worker) {
    for (int i = 0; i < 40; i++) {
      worker.round();
    }
  }

  private Inlet writer(int stream, int segment, Segment to) {
    Function2<StreamTuple, Object, Object> place = (t, number) -> t.ts();
    return new WriterInlet(emitter, emitter.lane(stream, segment), to, place);
  }

  private MatrixWorker worker(int column, Inlet inletOfR, StringBuilder found) {
    Segment ofS = new Segment(list(List.of()), 1, 2);
    SegmentView[] views = {new SegmentView(ofR, column), new SegmentView(ofS, 0)};
    Function1<Object, Object> numberOfR = position -> position;
    Function1<Object, Object> numberOfS = position -> (Long) position * 2 + column;
    MatrixSteps steps =
        new MatrixSteps(
            spec,
            new Sides<>(
                new MatrixWindow(R, spec, new Share(column == 0, views[0], numberOfR), 100),
                new MatrixWindow(S, spec, new Share(true, views[1], numberOfS), 100)),
            (later, earlier) -> {
              if (found.length() > 0) found.append(' ');
              found.append(later.ts()).append('-').append(earlier.ts());
            });
    Inlet[] inlets = {inletOfR, writer(1, column, ofS)};
    return new MatrixWorker(emitter, inlets, views, steps, passed[column]);
  }
}
