package io.scalegate.spark.bounds

import org.scalatest.funsuite.AnyFunSuite

/** Bounds as EXPLAIN shows them. */
final class BoundTextSuite extends AnyFunSuite {
  Seq[(TermType, BigDecimal, String)](
    (TermType.TimestampTerm, 0, "0 seconds"),
    (TermType.TimestampTerm, -1800000000L, "-30 minutes"),
    (TermType.TimestampTerm, 60000000L, "1 minute"),
    (TermType.TimestampNtzTerm, 90061500000L, "1 day 1 hour 1 minute 1.5 seconds"),
    (TermType.TimestampNtzTerm, -5400000001L, "-1 hour -30 minutes -0.000001 seconds"),
    (TermType.TimestampTerm, -1000000L, "-1 second"),
    (TermType.TimestampTerm, 1, "0.000001 seconds"),
    (TermType.IntervalTerm, 7200000000L, "2 hours"),
    (TermType.DateTerm, -1, "-1 day"),
    (TermType.DateTerm, 14, "14 days"),
    (TermType.DoubleTerm, BigDecimal(new java.math.BigDecimal(0.1)), "0.1"),
    (TermType.DoubleTerm, BigDecimal(Math.nextUp(10.0)), "10"),
    (TermType.DoubleTerm, BigDecimal("-1e300"), "-1E+300"),
    (TermType.FloatTerm, BigDecimal(new java.math.BigDecimal(0.2f.toDouble)), "0.2"),
    (TermType.IntTerm, -3, "-3"),
    (TermType.DecimalTerm(9, 2), BigDecimal("0.10"), "0.10")
  ).foreach { case (termType, bound, text) =>
    test(s"$bound of $termType is $text") {
      assert(BoundText(bound, termType) == text)
    }
  }
}
