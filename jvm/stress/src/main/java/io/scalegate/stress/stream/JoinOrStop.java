package io.scalegate.stress.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.stream.IdleStrategy;
import io.scalegate.stream.Lifecycle;
import io.scalegate.stream.Workers;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * A thread joins an operator while another thread stops it: it is refused, or has ended when both
 * have returned.
 */
@JCStressTest
@Outcome(id = "refused, not started", expect = ACCEPTABLE, desc = "the stop was first")
@Outcome(id = "joined, ended", expect = ACCEPTABLE, desc = "the stop has waited for it")
@Outcome(expect = FORBIDDEN, desc = "a thread was started and left behind, or refused and started")
@State
public class JoinOrStop {
  private final Workers workers =
      new Workers(
          new Lifecycle("operator"), IdleStrategy.Spin::new, (run, name) -> new Thread(run, name));
  private final CountedWork work = new CountedWork(-1);
  private String joined = "refused";

  @Actor
  public void join() {
    try {
      workers.join(work);
      joined = "joined";
    } catch (IllegalStateException closed) {
      joined = "refused";
    }
  }

  @Actor
  public void stop() {
    workers.stop();
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r1 = joined;
    r.r2 = work.hasEnded() ? "ended" : joined.equals("joined") ? "left behind" : "not started";
    work.leave();
  }
}
