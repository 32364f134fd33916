package io.scalegate.stress.matrix;

import static io.scalegate.stress.matrix.AlternatingStreams.R;
import static io.scalegate.stress.matrix.AlternatingStreams.S;
import static io.scalegate.stress.matrix.AlternatingStreams.list;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.join.JoinOptions;
import io.scalegate.join.JoinSpec;
import io.scalegate.join.JoinType;
import io.scalegate.matrix.Arrangement;
import io.scalegate.matrix.MatrixInput;
import io.scalegate.matrix.MatrixSteps;
import io.scalegate.matrix.MatrixWindow;
import io.scalegate.matrix.MatrixWorker;
import io.scalegate.matrix.Share;
import io.scalegate.matrix.StreamShape;
import io.scalegate.matrix.Topology;
import io.scalegate.stream.Sides;
import io.scalegate.stream.StreamTuple;
import io.scalegate.stream.TimeWindow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;
import scala.Function1;
import scala.Function2;
import scala.Option;
import scala.collection.immutable.IndexedSeq;

/**
 * The two workers of a matrix join, in a row and in a column by turns, as often as tuples are
 * emitted, which are sixteen at a time, at the times 1, 2, ..., of R and S in turn. Results that are
 * not all pairs read as "later-earlier ..."; whether each worker's are in order comes beside them.
 */
@JCStressTest
@Outcome(
    id = DealtRows.ALL + ", true",
    expect = ACCEPTABLE,
    desc = "each pair at most three apart once, each worker's in order")
@Outcome(expect = FORBIDDEN, desc = "a pair is missing, doubled, out of order or out of its window")
@State
public class DealtRows {
  static final String ALL = "all pairs";
  private static final int TUPLES = 40;
  private static final Topology ROW = new Topology(list(List.of((Object) 1, (Object) 2)));
  private static final Topology COLUMN = new Topology(list(List.of((Object) 2, (Object) 1)));

  private final JoinSpec spec =
      new JoinSpec(
          new TimeWindow(-3, 3), list(List.of()), Option.empty(), JoinType.Inner$.MODULE$, Long.MIN_VALUE);
  private final Member first;
  private final Member second;

  public DealtRows() {
    Function2<StreamTuple, Object, Object> place = (t, number) -> t.ts();
    StreamShape shape = new StreamShape(list(List.of()), place);
    Function1<StreamTuple, Object> streamOf = AlternatingStreams::streamOf;
    JoinOptions few =
        JoinOptions.apply(1, 1, JoinOptions.apply$default$3(), JoinOptions.apply$default$4());
    IndexedSeq<StreamShape> shapes = list(List.of(shape, shape));
    MatrixInput input =
        MatrixInput.apply(AlternatingStreams.read(TUPLES), shapes, streamOf, few);
    Arrangement arrangement =
        Arrangement.first(
            input, (now, sent, held) -> Option.apply(now == ROW ? COLUMN : ROW), ROW);
    first = new Member(0, arrangement);
    second = new Member(1, arrangement);
  }

  @Actor
  public void first() {
    first.work();
  }

  @Actor
  public void second() {
    second.work();
  }

  @Arbiter
  public void rest(LL_Result r) {
    while (!first.isDone() || !second.isDone()) {
      first.round();
      second.round();
    }
    List<long[]> all = new ArrayList<>(first.found);
    all.addAll(second.found);
    all.sort(ORDER);
    List<String> pairs =
        all.stream().map(pair -> pair[0] + "-" + pair[1]).collect(Collectors.toList());
    r.r1 = pairs.equals(expected()) ? ALL : String.join(" ", pairs);
    r.r2 = first.isInOrder() && second.isInOrder();
  }

  private static List<String> expected() {
    List<String> pairs = new ArrayList<>();
    for (int later = 2; later <= TUPLES; later++) {
      for (int earlier = Math.max(1, later - 3); earlier < later; earlier++) {
        if ((later - earlier) % 2 == 1) {
          pairs.add(later + "-" + earlier);
        }
      }
    }
    return pairs;
  }

  private static final Comparator<long[]> ORDER =
      Comparator.<long[]>comparingLong(pair -> pair[0]).thenComparingLong(pair -> pair[1]);

  private final class Member {
    private final int id;
    private final List<long[]> found = new ArrayList<>();
    private Arrangement arrangement;
    private MatrixWorker worker;

    Member(int id, Arrangement arrangement) {
      this.id = id;
      join(arrangement);
    }

    void work() {
      for (int i = 0; i < 40; i++) {
        round();
      }
    }

    void round() {
      if (!worker.round() && worker.isDone() && !arrangement.isLast()) {
        Arrangement next = arrangement.next();
        if (next != null) {
          join(next);
        }
      }
    }

    boolean isDone() {
      return worker.isDone() && arrangement.isLast();
    }

    boolean isInOrder() {
      List<long[]> sorted = new ArrayList<>(found);
      sorted.sort(ORDER);
      return sorted.equals(found);
    }

    private void join(Arrangement to) {
      arrangement = to;
      worker = to.worker(id, this::steps);
    }

    private MatrixSteps steps(IndexedSeq<Share> shares) {
      return new MatrixSteps(
          spec,
          new Sides<>(
              new MatrixWindow(R, spec, shares.apply(0), 100),
              new MatrixWindow(S, spec, shares.apply(1), 100)),
          (later, earlier) -> found.add(new long[] {later.ts(), earlier.ts()}));
    }
  }
}
