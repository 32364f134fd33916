import io.scalegate.gate.GateReader;
import io.scalegate.gate.GateSource;
import io.scalegate.gate.ScaleGate;
import io.scalegate.stream.EventOrder;
import io.scalegate.stream.Side;
import io.scalegate.stream.StreamTuple;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Joins in Spark, and merges two streams by core's gate, which came with the artifact for Spark. */
public final class Consumer {
  private static final String JOIN =
      "SELECT * FROM range(100) r JOIN range(100) s ON s.id BETWEEN r.id - 1 AND r.id + 1";

  private Consumer() {}

  public static void main(String[] args) {
    SparkSession.Builder builder = SparkSession.builder().master("local[2]");
    SparkSession spark = builder.config("spark.ui.enabled", "false").getOrCreate();
    Dataset<Row> joined = spark.sql(JOIN);
    System.out.println("planned: " + joined.queryExecution().executedPlan().toString().contains("WindowJoin"));
    System.out.println("rows: " + joined.count());
    spark.stop();
    System.out.println("merged: " + merged());
  }

  private static String merged() {
    ScaleGate<StreamTuple> gate = new ScaleGate<>(EventOrder.Tuples$.MODULE$, 64);
    GateReader<StreamTuple> reader = gate.addReader();
    GateSource<StreamTuple> even = gate.addSource("even");
    GateSource<StreamTuple> odd = gate.addSource("odd");
    for (long time = 0; time < 6; time++) {
      int source = (int) (time % 2);
      (source == 0 ? even : odd).tryAdd(tuple(time, source));
    }
    even.close();
    odd.close();
    StringBuilder times = new StringBuilder();
    for (StreamTuple t = reader.getNextReadyTuple(); t != null; t = reader.getNextReadyTuple()) {
      times.append(t.ts());
    }
    return times.toString();
  }

  private static StreamTuple tuple(long time, int source) {
    return new StreamTuple(time, source, time, Side.R$.MODULE$, new long[] {time}, "row");
  }
}
