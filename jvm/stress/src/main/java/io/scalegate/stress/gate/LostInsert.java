package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.gate.GateReader;
import io.scalegate.gate.GateSource;
import io.scalegate.stream.StreamTuple;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A source inserts in front of another's tuple while a reader decides that this one is ready. */
@JCStressTest
@Outcome(id = ", 5 10", expect = ACCEPTABLE, desc = "the reader looked before the first delivery")
@Outcome(id = "5, 10", expect = ACCEPTABLE, desc = "the reader looked between the deliveries")
@Outcome(
    id = "5 10, ",
    expect = ACCEPTABLE,
    desc = "the reader looked again after both deliveries")
@Outcome(
    expect = FORBIDDEN,
    desc = "10 was taken for ready by a link older than the frontier: 5 is lost")
@State
public class LostInsert extends GateState {
  private final GateSource<StreamTuple> early = gate.addSource();
  private final GateSource<StreamTuple> late = gate.addSource();
  private final GateReader<StreamTuple> reader = gate.addReader();

  public LostInsert() {
    super(4);
    deliver(early, 10, 0);
  }

  @Actor
  public void source() {
    deliver(late, 5, 1);
    deliver(late, 20, 1);
  }

  @Actor
  public void reader(LL_Result r) {
    r.r1 = read(reader, 2);
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r2 = read(reader, 4);
  }
}
