package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.gate.TGate;
import io.scalegate.stream.EventOrder;
import io.scalegate.stream.StreamTuple;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * An input inserts before, between and behind the other's tuples while two handles read, one of
 * them on the input's thread: a third would need a third processor. Results read as in "1 2|3 4
 * 5": what a handle got meanwhile, and what was left.
 */
@JCStressTest
@Outcome(
    id = "1 2 3\\|4 5, \\|?1[ |]2[ |]3[ |]4[ |]5",
    expect = ACCEPTABLE,
    desc = "each handle got what was ready when it looked, and the rest later")
@Outcome(expect = FORBIDDEN, desc = "a handle missed a tuple, got one twice or out of order")
@State
public class OncePerHandle {
  private final TGate<StreamTuple> gate = new TGate<>(EventOrder.Tuples$.MODULE$, 2, 2, 4);

  public OncePerHandle() {
    insert(2, 0);
    insert(4, 0);
  }

  @Actor
  public void inputAndHandle(LL_Result r) {
    insert(1, 1);
    String first = read(0);
    insert(3, 1);
    r.r1 = first + " " + read(0);
    insert(5, 1);
  }

  @Actor
  public void otherHandle(LL_Result r) {
    r.r2 = read(1);
  }

  @Arbiter
  public void rest(LL_Result r) {
    gate.close(0);
    gate.close(1);
    r.r1 = r.r1 + "|" + read(0);
    r.r2 = r.r2 + "|" + read(1);
  }

  private void insert(long ts, int input) {
    gate.insertTuple(GateState.tuple(ts, input), input);
  }

  private String read(int handle) {
    return GateState.read(gate.handle(handle), 6);
  }
}
