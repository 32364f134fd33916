package io.scalegate.stress.matrix;

import io.scalegate.gate.GateReader;
import io.scalegate.gate.GateSource;
import io.scalegate.gate.ScaleGate;
import io.scalegate.stream.EventOrder;
import io.scalegate.stream.Side;
import io.scalegate.stream.StreamTuple;
import java.util.List;
import scala.collection.immutable.IndexedSeq;
import scala.jdk.javaapi.CollectionConverters;

/** Tuples at the times 1, 2, ..., of R and S in turn. */
final class AlternatingStreams {
  static final Side R = Side.R$.MODULE$;
  static final Side S = Side.S$.MODULE$;

  private AlternatingStreams() {}

  /** Reads so many of them from a gate in which all are. */
  static GateReader<StreamTuple> read(int tuples) {
    ScaleGate<StreamTuple> gate = new ScaleGate<>(EventOrder.Tuples$.MODULE$, 64);
    GateSource<StreamTuple> r = gate.addSource("r");
    GateSource<StreamTuple> s = gate.addSource("s");
    for (int ts = 1; ts <= tuples; ts++) {
      boolean odd = ts % 2 == 1;
      StreamTuple t =
          new StreamTuple(ts, odd ? 0 : 1, ts, odd ? R : S, new long[0], "row");
      if (!(odd ? r : s).tryAdd(t)) {
        throw new IllegalStateException("the gate is too small for the test");
      }
    }
    r.close();
    s.close();
    return gate.addReader();
  }

  /** The stream of a tuple, as a matrix of workers numbers them. */
  static Object streamOf(StreamTuple t) {
    return t.side() == R ? 0 : 1;
  }

  static <T> IndexedSeq<T> list(List<T> elements) {
    return CollectionConverters.asScala(elements).toIndexedSeq();
  }
}
