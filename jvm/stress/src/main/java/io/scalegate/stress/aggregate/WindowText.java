package io.scalegate.stress.aggregate;

import io.scalegate.aggregate.RunningAggregate;
import io.scalegate.aggregate.WindowResults;
import java.util.Map;
import java.util.TreeMap;

/** Windows as text, for outcomes. */
final class WindowText {
  private WindowText() {}

  /** The next window: its start, and each key with its value; empty if none is complete. */
  static String next(RunningAggregate<String, Object> aggregate) {
    WindowResults<String, Object> next = aggregate.poll();
    if (next == null) return "";
    Map<String, Object> byKey = new TreeMap<>();
    for (int i = 0; i < next.size(); i++) byKey.put(next.key(i), next.value(i));
    StringBuilder all = new StringBuilder().append(next.start()).append(':');
    byKey.forEach((key, value) -> all.append(key).append(value));
    return all.toString();
  }
}
