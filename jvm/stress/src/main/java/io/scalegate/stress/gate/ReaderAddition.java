package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.gate.GateReader;
import io.scalegate.gate.GateSource;
import io.scalegate.stream.StreamTuple;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A reader joins while the only other one reads and cleans behind itself. */
@JCStressTest
@Outcome(
    id = "1 2 3, 1 2 3",
    expect = ACCEPTABLE,
    desc = "it joined before the first tuple was passed")
@Outcome(id = "1 2 3, 2 3", expect = ACCEPTABLE, desc = "it joined after the first")
@Outcome(id = "1 2 3, 3", expect = ACCEPTABLE, desc = "it joined after the second")
@Outcome(id = "1 2 3, ", expect = ACCEPTABLE, desc = "it joined after the last")
@Outcome(expect = FORBIDDEN, desc = "the reader that joined missed a tuple or got a cleared one")
@State
public class ReaderAddition extends GateState {
  private final GateSource<StreamTuple> source = gate.addSource();
  private final GateReader<StreamTuple> present = gate.addReader();

  public ReaderAddition() {
    super(4);
    deliver(source, 1, 0);
    deliver(source, 2, 0);
    deliver(source, 3, 0);
  }

  @Actor
  public void present(LL_Result r) {
    r.r1 = read(present, 3);
  }

  @Actor
  public void joining(LL_Result r) {
    r.r2 = read(gate.addReader(), 4);
  }
}
