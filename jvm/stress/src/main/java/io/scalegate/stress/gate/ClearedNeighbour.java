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

/** A source inserts at the time of tuples that are being passed, cleared and severed. */
@JCStressTest
@Outcome(
    id = "3 3 3, 3",
    expect = ACCEPTABLE,
    desc = "the reader was through before the insertion")
@Outcome(id = "3 3 3 3, ", expect = ACCEPTABLE, desc = "the reader also read what was inserted")
@Outcome(
    expect = FORBIDDEN,
    desc = "the insertion went behind a cleared node that it had to follow")
@State
public class ClearedNeighbour extends GateState {
  private final GateSource<StreamTuple> last = gate.addSource();
  private final GateReader<StreamTuple> reader = gate.addReader();

  public ClearedNeighbour() {
    super(4);
    for (int id = 0; id < 3; id++) {
      GateSource<StreamTuple> source = gate.addSource();
      deliver(source, 3, id);
      source.close();
    }
    last.advance(StreamTuple.punctuation(3, 9));
  }

  @Actor
  public void reader(LL_Result r) {
    r.r1 = read(reader, 4);
  }

  @Actor
  public void source() {
    deliver(last, 3, 9);
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r2 = read(reader, 2);
  }
}
