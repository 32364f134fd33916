package io.scalegate.stress.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.stream.SpscRing;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * Two elements go through a ring that has room for one: the second may be written where the first
 * was only after that was taken, and what is read of an element was written before it was put in.
 */
@JCStressTest
@Outcome(id = "1 2 end", expect = ACCEPTABLE, desc = "both were put in and taken in order")
@Outcome(id = "1 end", expect = ACCEPTABLE, desc = "the ring was full when the second was offered")
@Outcome(
    expect = FORBIDDEN,
    desc = "an element was lost, doubled or read before it was written, or the end came early")
@State
public class RingHandOver {
  /** Plain, so that only the ring publishes it. */
  private static final class Element {
    int value;
  }

  /** Bounded, but enough for the other to get going: many runs then hand both over. */
  private static final int ATTEMPTS = 500;

  private final SpscRing<Element> ring = new SpscRing<>(1);
  private final StringBuilder taken = new StringBuilder();

  private static Element element(int value) {
    Element e = new Element();
    e.value = value;
    return e;
  }

  private boolean take() {
    Element e = ring.poll();
    if (e != null) taken.append(e.value).append(' ');
    return e != null;
  }

  @Actor
  public void producer() {
    ring.offer(element(1));
    Element second = element(2);
    for (int i = 0; i < ATTEMPTS && !ring.offer(second); i++) Thread.onSpinWait();
    ring.close();
  }

  @Actor
  public void consumer() {
    for (int i = 0; i < ATTEMPTS && !take(); i++) Thread.onSpinWait();
    boolean isDone = ring.isDone();
    if (take() && isDone) taken.append("after the end ");
  }

  @Arbiter
  public void rest(L_Result r) {
    take();
    r.r1 = taken + (ring.isDone() ? "end" : "open");
  }
}
