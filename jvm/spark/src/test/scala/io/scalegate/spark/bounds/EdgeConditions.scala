package io.scalegate.spark.bounds

import scala.util.Random

import io.scalegate.spark.bounds.EdgeValues.{Constant, constants, date, numbers, pick, times}

/** A join's condition on `l.a` and `r.b`, of these types, and the distances at which something changes. */
final case class EdgeCondition(
    left: EdgeType,
    right: EdgeType,
    sql: String,
    distances: Seq[BigDecimal]
)

/** Conditions of every shape that may be read as a bound, over all types and constants. */
object EdgeConditions {
  def apply(random: Random): EdgeCondition = random.nextInt(10) match {
    case 0 | 1 => ofDates(random)
    case 2 => ofTimes(random)
    case _ => ofNumbers(random)
  }

  private[this] def ofNumbers(random: Random): EdgeCondition = {
    val (left, right) = (pick(random, numbers), pick(random, numbers))
    def constant() = pick(random, constants)
    val (c, d, e) = (constant(), constant(), constant())
    val cast = pick(random, Seq("FLOAT", "DOUBLE", "BIGINT", "DECIMAL(20,3)"))
    def as(column: String) = s"CAST(l.a AS $cast)".replace("l.a", column)
    val (x, y) = (s"${c.sql}", s"${d.sql}")
    val sql = random.nextInt(15) match {
      case 0 => s"r.b BETWEEN l.a - $x AND l.a + $y"
      case 1 => s"l.a BETWEEN r.b - $x AND r.b + $y"
      case 2 => s"l.a - r.b >= -$x AND l.a - r.b <= $y".replace("--", "")
      case 3 => s"abs(l.a - r.b) <= $x"
      case 4 => s"abs(r.b - l.a) < $x AND l.a <> $y"
      case 5 => s"r.b + $x >= l.a AND r.b <= l.a + $y"
      case 6 => s"-(l.a + $x) >= -(r.b + $x) AND r.b <= l.a + $y"
      case 7 => s"l.a + $x <= r.b + $x AND r.b + $y <= l.a + $x"
      case 8 => s"(l.a + $x) + $y >= r.b AND r.b >= l.a - $x"
      case 9 => s"-(l.a - r.b) > -($x) AND -(l.a - r.b) <= $y"
      case 10 => s"r.b <= try_add(l.a, $x) AND r.b >= try_subtract(l.a, $y)"
      case 11 => s"try_subtract(r.b, l.a) >= -($x) AND try_subtract(r.b, l.a) <= $y"
      case 12 => s"${as("r.b")} BETWEEN l.a - $x AND l.a + $y"
      case 13 => s"abs(${as("l.a")} - ${as("r.b")}) <= $x"
      case _ => s"r.b - $x >= l.a + ${e.sql} AND r.b - $x <= l.a + $y"
    }
    EdgeCondition(left, right, sql, distances(c, d, e))
  }

  private[this] def ofDates(random: Random): EdgeCondition = {
    def days() = pick(random, Seq(0, 1, 3, -2, -30, 400, Int.MaxValue, 1 << 30))
    val (m, n, k) = (days(), days(), days())
    val sql = random.nextInt(11) match {
      case 0 => s"r.b BETWEEN date_add(l.a, $m) AND date_add(l.a, $n)"
      case 1 => s"abs(datediff(l.a, r.b)) <= $m"
      case 2 => s"datediff(r.b, l.a) >= $m AND datediff(r.b, l.a) <= $n"
      case 3 => s"datediff(r.b, l.a) <= $m AND datediff(l.a, r.b) <= $n"
      case 4 => s"date_add(r.b, $m) <= l.a AND r.b >= date_add(l.a, $n)"
      case 5 => s"date_sub(r.b, $m) <= l.a AND l.a <= date_add(r.b, $n)"
      case 6 => s"r.b <= l.a AND r.b >= date_sub(l.a, $m)"
      case 7 => s"r.b <= date_add(l.a, $m) AND datediff(r.b, l.a) >= $n"
      case 8 => s"datediff(date_add(r.b, $m), l.a) + 1 BETWEEN $n AND $k"
      case 9 => s"date_add(r.b, $m) - l.a BETWEEN INTERVAL '$n' DAY AND INTERVAL '$k' DAY"
      case _ => s"date_add(date_add(l.a, $m), $n) >= r.b AND date_sub(l.a, $k) <= r.b"
    }
    val apart = for { x <- Seq(m, n, k); y <- Seq(0, m, -n) } yield BigDecimal(x) - y
    EdgeCondition(date, date, sql, apart)
  }

  private[this] def ofTimes(random: Random): EdgeCondition = {
    val t = pick(random, times)
    val (short, days) = ("INTERVAL '0 01:00:00.000003' DAY TO SECOND", "INTERVAL 3 DAYS")
    val months = "make_interval(0, 1, 0, 20, 0, 0, 0.5)"
    val sql = random.nextInt(7) match {
      case 0 => s"r.b BETWEEN l.a - $short AND l.a + $short"
      case 1 => s"r.b >= l.a AND r.b < l.a + $days"
      case 2 => s"r.b BETWEEN l.a - $months AND l.a + $months"
      case 3 => s"abs(r.b - l.a) <= $short"
      case 4 => s"r.b - l.a >= -$days AND r.b - l.a <= $short"
      case 5 => s"r.b - $days <= l.a AND l.a + $short <= r.b"
      case _ => s"l.a + $short >= r.b + $short AND r.b >= l.a - $days"
    }
    val hour = BigDecimal(3600000000L)
    val apart = Seq(
      BigDecimal(0),
      hour + 3,
      hour * 72,
      hour * 71,
      hour * 73,
      hour * 24 * 51,
      hour * 24 * 48
    )
    EdgeCondition(t, t, sql, apart.flatMap(d => Seq(d, -d)))
  }

  private[this] def distances(constants: Constant*): Seq[BigDecimal] = {
    val each = constants.map(_.number).flatMap(n => Seq(n, -n))
    (BigDecimal(0) +: each) ++ (for { x <- each.take(2); y <- each.drop(2) } yield x + y)
  }
}
