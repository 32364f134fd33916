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

/** The only source delivers and closes while a reader asks whether all is over. */
@JCStressTest
@Outcome(
    id = "false, , 1",
    expect = ACCEPTABLE,
    desc = "the reader was done looking before the delivery")
@Outcome(id = "false, 1, ", expect = ACCEPTABLE, desc = "the reader read after the delivery")
@Outcome(expect = FORBIDDEN, desc = "done with a tuple unread, or a tuple lost")
@State
public class LastClose extends GateState {
  private final GateSource<StreamTuple> source = gate.addSource();
  private final GateReader<StreamTuple> reader = gate.addReader();

  public LastClose() {
    super(4);
  }

  @Actor
  public void source() {
    deliver(source, 1, 0);
    source.close();
  }

  @Actor
  public void reader(LLL_Result r) {
    r.r1 = reader.isDone();
    r.r2 = read(reader, 1);
  }

  @Arbiter
  public void rest(LLL_Result r) {
    r.r3 = read(reader, 3);
  }
}
