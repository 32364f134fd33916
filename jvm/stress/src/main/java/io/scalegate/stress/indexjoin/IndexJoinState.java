package io.scalegate.stress.indexjoin;

import io.scalegate.gate.GateSource;
import io.scalegate.gate.ScaleGate;
import io.scalegate.index.ConcurrentPimTree;
import io.scalegate.index.MergePolicy;
import io.scalegate.band.AttributeType;
import io.scalegate.band.Band;
import io.scalegate.indexjoin.IndexJoinCounters;
import io.scalegate.indexjoin.IndexJoinQueue;
import io.scalegate.indexjoin.IndexJoinSharedWindow;
import io.scalegate.indexjoin.IndexJoinTask;
import io.scalegate.indexjoin.IndexJoinWorker;
import io.scalegate.indexjoin.IndexKeys;
import io.scalegate.band.IntegralBand;
import io.scalegate.join.JoinResult;
import io.scalegate.join.JoinSpec;
import io.scalegate.join.JoinType;
import io.scalegate.stream.EventOrder;
import io.scalegate.stream.Side;
import io.scalegate.stream.Sides;
import io.scalegate.stream.StreamTuple;
import io.scalegate.stream.TimeWindow;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import scala.Option;
import scala.collection.immutable.IndexedSeq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The queue and the windows of a parallel index join, with tuples of one key at the times 1, 2, ...,
 * of R and S in turn, for the actors to take and process. Results read as "later-earlier ...".
 */
abstract class IndexJoinState {
  private static final Side R = Side.R$.MODULE$;
  private static final Side S = Side.S$.MODULE$;

  private final JoinSpec spec;
  private final Sides<IndexJoinSharedWindow> windows;
  private final AtomicBoolean merging = new AtomicBoolean();
  final IndexJoinQueue queue;

  /**
   * @param length how long a tuple stays in its window
   * @param mergeAfter the insertions after which an index merges
   */
  IndexJoinState(int tuples, long length, int mergeAfter) {
    ScaleGate<StreamTuple> gate = new ScaleGate<>(EventOrder.Tuples$.MODULE$, 64);
    GateSource<StreamTuple> ofR = gate.addSource("r");
    GateSource<StreamTuple> ofS = gate.addSource("s");
    Band equal = new IntegralBand(AttributeType.Int64$.MODULE$, 0, 0);
    IndexedSeq<Band> bands = CollectionConverters.asScala(List.of(equal)).toIndexedSeq();
    spec =
        new JoinSpec(
            new TimeWindow(-length, length), bands, Option.empty(), JoinType.Inner$.MODULE$, Long.MIN_VALUE);
    windows = new Sides<>(window(R, mergeAfter), window(S, mergeAfter));
    queue = new IndexJoinQueue(gate.addReader(), windows, 1000);
    for (int ts = 1; ts <= tuples; ts++) {
      boolean first = ts % 2 == 1;
      StreamTuple t =
          new StreamTuple(ts, first ? 0 : 1, ts, first ? R : S, new long[] {7}, "row");
      if (!(first ? ofR : ofS).tryAdd(t)) {
        throw new IllegalStateException("the gate is too small for the test");
      }
    }
    ofR.close();
    ofS.close();
  }

  private IndexJoinSharedWindow window(Side side, int mergeAfter) {
    ConcurrentPimTree index = new ConcurrentPimTree(new MergePolicy(mergeAfter, 1), 1);
    return new IndexJoinSharedWindow(side, spec, index, 100);
  }

  /** What a thread of the join does, up to {@code attempts} times. */
  void work(int attempts) {
    IndexJoinWorker worker =
        new IndexJoinWorker(
            spec,
            IndexKeys.apply(spec.bands(), 0, 1),
            windows,
            merging,
            new IndexJoinCounters());
    IndexJoinTask task = new IndexJoinTask();
    for (int i = 0; i < attempts; i++) {
      if (queue.acquire(1, task)) {
        worker.process(task, queue);
      }
    }
  }

  /** Processes what is left. */
  void finish() {
    while (!queue.isExhausted()) {
      work(1);
    }
  }

  /** Takes up to {@code attempts} results. */
  void poll(StringBuilder results, int attempts) {
    for (int i = 0; i < attempts; i++) {
      JoinResult result = queue.poll();
      if (result != null) {
        if (results.length() > 0) results.append(' ');
        results.append(result.later().ts()).append('-').append(result.earlier().ts());
      }
    }
  }
}
