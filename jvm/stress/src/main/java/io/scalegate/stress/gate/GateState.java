package io.scalegate.stress.gate;

import io.scalegate.gate.GateReader;
import io.scalegate.gate.GateSource;
import io.scalegate.gate.ScaleGate;
import io.scalegate.stream.EventOrder;
import io.scalegate.stream.Side;
import io.scalegate.stream.StreamTuple;

/** A gate and what the stress tests of ScaleGate do with it. Results read as in "1 2 | 3". */
abstract class GateState {
  private static final Object ROW = new Object();

  final ScaleGate<StreamTuple> gate;

  /** With a capacity below eight a reader cleans after every tuple. */
  GateState(int capacity) {
    gate = new ScaleGate<>(EventOrder.Tuples$.MODULE$, capacity);
  }

  static StreamTuple tuple(long ts, int source) {
    return new StreamTuple(ts, source, 0L, Side.R$.MODULE$, new long[] {ts}, ROW);
  }

  static boolean deliver(GateSource<StreamTuple> source, long ts, int id) {
    return source.tryAdd(tuple(ts, id));
  }

  /** The times of what at most {@code attempts} calls return; what is not ready is left out. */
  static String read(GateReader<StreamTuple> reader, int attempts) {
    StringBuilder times = new StringBuilder();
    for (int i = 0; i < attempts; i++) {
      StreamTuple t = reader.getNextReadyTuple();
      if (t != null) {
        if (times.length() > 0) times.append(' ');
        times.append(t.ts());
        if (t.row() != ROW || t.attrs()[0] != t.ts()) times.append("(torn)");
      }
    }
    return times.toString();
  }
}
