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
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Two readers read what is left when the source has closed, clean behind themselves and leave. */
@JCStressTest
@Outcome(id = "2 3, 2 3, true", expect = ACCEPTABLE, desc = "each read all and left")
@Outcome(expect = FORBIDDEN, desc = "a tuple was lost or cleared, or is held for a reader that left")
@State
public class CloseAtEnd extends GateState {
  private final GateSource<StreamTuple> source = gate.addSource();
  private final GateReader<StreamTuple> one = gate.addReader();
  private final GateReader<StreamTuple> other = gate.addReader();

  public CloseAtEnd() {
    super(4);
    deliver(source, 1, 0);
    read(one, 1); // now it has a bound, whose tuple is about to be cleared
    read(other, 1);
    deliver(source, 2, 0);
    deliver(source, 3, 0);
    source.close();
  }

  @Actor
  public void one(LLL_Result r) {
    r.r1 = read(one, 2);
    one.close();
  }

  @Actor
  public void other(LLL_Result r) {
    r.r2 = read(other, 2);
    other.close();
  }

  @Arbiter
  public void rest(LLL_Result r) {
    r.r3 = gate.addReader().isDone();
  }
}
