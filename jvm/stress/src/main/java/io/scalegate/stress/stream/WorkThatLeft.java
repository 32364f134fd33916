package io.scalegate.stress.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.stream.IdleStrategy;
import io.scalegate.stream.Lifecycle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A work is told to leave while it takes its five steps, which it counts plainly: who finds that it
 * has ended sees all that it has counted.
 */
@JCStressTest
@Outcome(id = "-1, [0-5]", expect = ACCEPTABLE, desc = "it had not ended yet")
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "it left before its first step")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "it left after a step")
@Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "it left after two steps")
@Outcome(id = "3, 3", expect = ACCEPTABLE, desc = "it left after three steps")
@Outcome(id = "4, 4", expect = ACCEPTABLE, desc = "it left after four steps")
@Outcome(id = "5, 5", expect = ACCEPTABLE, desc = "it had finished")
@Outcome(expect = FORBIDDEN, desc = "a step that was taken was not seen")
@State
public class WorkThatLeft {
  private final CountedWork work = new CountedWork(5);

  @Actor
  public void worker(II_Result r) {
    work.run(new Lifecycle("operator"), new IdleStrategy.Spin());
    r.r2 = work.taken;
  }

  @Actor
  public void other(II_Result r) {
    work.leave();
    for (int i = 0; i < 100 && !work.hasEnded(); i++) Thread.onSpinWait();
    r.r1 = work.hasEnded() ? work.taken : -1;
  }
}
