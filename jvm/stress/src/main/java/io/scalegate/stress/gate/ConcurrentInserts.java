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

/** Two sources insert at neighbouring places, each at the node that the other is inserting. */
@JCStressTest
@Outcome(
    id = "true true, 1 2 3 4",
    expect = ACCEPTABLE,
    desc = "whoever lost the race for a link searched on")
@Outcome(expect = FORBIDDEN, desc = "an insertion was lost or misplaced")
@State
public class ConcurrentInserts extends GateState {
  private final GateSource<StreamTuple> odd = gate.addSource();
  private final GateSource<StreamTuple> even = gate.addSource();
  private final GateReader<StreamTuple> reader = gate.addReader();
  private boolean oddTaken;
  private boolean evenTaken;

  public ConcurrentInserts() {
    super(4);
  }

  @Actor
  public void odd() {
    oddTaken = deliver(odd, 1, 0) & deliver(odd, 3, 0);
  }

  @Actor
  public void even() {
    evenTaken = deliver(even, 2, 1) & deliver(even, 4, 1);
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r1 = oddTaken + " " + evenTaken;
    odd.close();
    even.close();
    r.r2 = read(reader, 6);
  }
}
