package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.gate.GateReader;
import io.scalegate.gate.GateSource;
import io.scalegate.gate.OutOfOrderException;
import io.scalegate.stream.StreamTuple;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** A source joins and delivers 4 while a reader is about to release 5. */
@JCStressTest
@Outcome(
    id = "5, refused, ",
    expect = ACCEPTABLE,
    desc = "5 was released, and the source was told")
@Outcome(
    id = ", taken, 4 5",
    expect = ACCEPTABLE,
    desc = "the reader saw the source before it delivered")
@Outcome(id = "4, taken, 5", expect = ACCEPTABLE, desc = "the reader came after the delivery")
@Outcome(
    id = ", refused, 5",
    expect = ACCEPTABLE_INTERESTING,
    desc = "the source saw the bound that the reader gave up when it saw the source")
@Outcome(expect = FORBIDDEN, desc = "5 was released and yet 4 was taken: neither saw the other")
@State
public class SourceAddition extends GateState {
  private final GateSource<StreamTuple> present = gate.addSource();
  private final GateReader<StreamTuple> reader = gate.addReader();
  private GateSource<StreamTuple> added;

  public SourceAddition() {
    super(4);
    deliver(present, 5, 0);
  }

  @Actor
  public void reader(LLL_Result r) {
    r.r1 = read(reader, 1);
  }

  @Actor
  public void source(LLL_Result r) {
    added = gate.addSource();
    try {
      r.r2 = deliver(added, 4, 1) ? "taken" : "full";
    } catch (OutOfOrderException refused) {
      r.r2 = "refused";
    }
  }

  @Arbiter
  public void rest(LLL_Result r) {
    added.close();
    present.close();
    r.r3 = read(reader, 4);
  }
}
