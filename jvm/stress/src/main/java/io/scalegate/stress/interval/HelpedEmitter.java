package io.scalegate.stress.interval;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.interval.sharednothing.Broadcast;
import io.scalegate.interval.sharednothing.Emitter;
import io.scalegate.interval.sharednothing.Message;
import io.scalegate.stream.Side;
import io.scalegate.stream.SpscRing;
import io.scalegate.stream.StreamTuple;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJZ_Result;
import scala.collection.immutable.IndexedSeq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * A source promises 5 while its channel is full, and comes back to promise 9 when the replica has
 * made room and sends for it.
 */
@JCStressTest
@Outcome(id = "2, 9, true", expect = ACCEPTABLE, desc = "the replica sent the first promise")
@Outcome(id = "1, 9, true", expect = ACCEPTABLE, desc = "the second took the first one's place")
@Outcome(expect = FORBIDDEN, desc = "a promise was lost, doubled or out of order")
@State
public class HelpedEmitter {
  private final SpscRing<Message> channel = new SpscRing<>(1);
  private final Emitter emitter = new Emitter(0, new Broadcast(1), channels(), 1);
  private int promises;
  private long last = Long.MIN_VALUE;
  private boolean rises = true;

  public HelpedEmitter() {
    own(
        () ->
            emitter.add(new StreamTuple(1, 0, 1, Side.R$.MODULE$, new long[] {1}, null), 1));
    own(() -> emitter.promise(5));
  }

  private IndexedSeq<SpscRing<Message>> channels() {
    return CollectionConverters.asScala(List.of(channel)).toIndexedSeq();
  }

  private void own(Runnable call) {
    emitter.own(
        () -> {
          call.run();
          return BoxedUnit.UNIT;
        });
  }

  private void take() {
    Message message = channel.poll();
    if (message != null) {
      if (message.floor() > 1) promises++;
      rises &= message.floor() > last;
      last = message.floor();
    }
  }

  @Actor
  public void source() {
    own(() -> emitter.promise(9));
  }

  @Actor
  public void replica() {
    take();
    emitter.help();
    take();
  }

  @Arbiter
  public void rest(IJZ_Result r) {
    for (int i = 0; i < 3; i++) {
      take();
      emitter.help();
    }
    r.r1 = promises;
    r.r2 = last;
    r.r3 = rises;
  }
}
