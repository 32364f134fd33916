package io.scalegate.stress.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.stream.IdleStrategy;
import io.scalegate.stream.Lifecycle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A worker fails and closes its output; a consumer sees that, and looks for the failure then. */
@JCStressTest
@Outcome(id = "false, false", expect = ACCEPTABLE, desc = "before the failure")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "after the failure, before the end")
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "after the end")
@Outcome(id = "true, false", expect = FORBIDDEN, desc = "an end that no failure explains")
@State
public class FailureBeforeEnd {
  private final Lifecycle ending = new Lifecycle("operator");
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CountedWork work =
      new CountedWork(-1) {
        @Override
        public boolean step() {
          throw new IllegalArgumentException("of the user");
        }

        @Override
        public void end() {
          closed.setRelease(true);
        }
      };

  @Actor
  public void worker() {
    work.run(ending, new IdleStrategy.Spin());
  }

  @Actor
  public void consumer(ZZ_Result r) {
    r.r1 = closed.getAcquire();
    r.r2 = ending.isStopped();
  }
}
