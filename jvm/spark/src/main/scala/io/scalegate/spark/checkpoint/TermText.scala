package io.scalegate.spark.checkpoint

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Writes expressions as texts for checkpoints. A text says what is computed: it does not depend on the names of
  * relations, on how names are spelled, on the session's time zone, on whether overflow is an error, or on the order of
  * what is joined by AND, OR and =. Spark's own texts are for people, and differ in all of these.
  *
  * @param column
  *   what a column is called
  */
final private[spark] class TermText(column: Attribute => String) {
  def apply(e: Expression): String = e match {
    case a: Attribute => column(a)
    case l: Literal => literal(l)
    case Alias(child, _) => apply(child)
    case KnownNotNull(child) => apply(child)
    case c: Cast => s"cast(${apply(c.child)}, ${TermText.typeName(c.dataType)})"
    case g: GetStructField => s"field(${apply(g.child)}, ${g.ordinal})"
    case s: PlanExpression[_] => s"subquery(${TermText.typeName(s.dataType)})"
    case _: And => anyOrder("and", TermText.parts[And](e))
    case _: Or => anyOrder("or", TermText.parts[Or](e))
    case EqualTo(l, r) => anyOrder("=", Seq(l, r))
    case EqualNullSafe(l, r) => anyOrder("<=>", Seq(l, r))
    case LessThan(l, r) => call("<", Seq(l, r).map(apply))
    case GreaterThan(l, r) => call("<", Seq(r, l).map(apply))
    case LessThanOrEqual(l, r) => call("<=", Seq(l, r).map(apply))
    case GreaterThanOrEqual(l, r) => call("<=", Seq(r, l).map(apply))
    case other =>
      call(TermText.folded(other.prettyName), options(other) ++ other.children.map(apply))
  }

  /** Conjuncts in an order that does not depend on how they were written. */
  def all(conjuncts: Seq[Expression]): String =
    conjuncts.flatMap(TermText.conjuncts).map(apply).sorted.mkString("; ")

  private[this] def anyOrder(name: String, operands: Seq[Expression]) =
    call(name, operands.map(apply).sorted)

  private[this] def call(name: String, operands: Seq[String]) =
    operands.mkString(s"$name(", ", ", ")")

  /** What an expression is made by beside its operands, without what the session's settings decide. */
  private[this] def options(e: Expression): Seq[String] =
    e.productElementNames.zip(e.productIterator).collect {
      case (name, value) if !TermText.BySession.contains(name) => value
    }.flatMap {
      case t: DataType => Some(TermText.typeName(t))
      case text: UTF8String => Some(s"'$text'")
      case text: String => Some(s"'$text'")
      case yes: Boolean => Option.when(yes)("true")
      case n @ (_: Int | _: Long | _: Double) => Some(n.toString)
      case values: Set[_] => Some(values.map(v => s"$v").toSeq.sorted.mkString("{", ", ", "}"))
      case _ => None
    }.toSeq

  private[this] def literal(l: Literal): String = {
    val value = l.value match {
      case bytes: Array[Byte] => bytes.map(b => f"$b%02x").mkString
      case text: UTF8String => s"'${text.toString.replace("\n", "\\n")}'"
      case other => String.valueOf(other)
    }
    s"$value ${TermText.typeName(l.dataType)}"
  }
}

private[spark] object TermText {

  /** The names of arguments that are the session's settings and not what the query says. */
  private val BySession =
    Set(
      "timeZoneId",
      "zoneId",
      "failOnError",
      "ansiEnabled",
      "evalMode",
      "evalContext",
      "resultId"
    )

  def folded(name: String): String = name.toLowerCase(Locale.ROOT)

  /** Of a column; those that this package names are known by their index alone. */
  def columnName(a: Attribute): Option[String] =
    Some(folded(a.name)).filterNot(_.startsWith("__scalegate"))

  def typeName(t: DataType): String = t match {
    case s: StructType =>
      s.fields.map(f => s"${folded(f.name)}: ${typeName(f.dataType)}").mkString(
        "struct<",
        ", ",
        ">"
      )
    case a: ArrayType => s"array<${typeName(a.elementType)}>"
    case m: MapType => s"map<${typeName(m.keyType)}, ${typeName(m.valueType)}>"
    case other => other.typeName
  }

  def conjuncts(e: Expression): Seq[Expression] = parts[And](e)

  private def parts[A <: BinaryOperator](e: Expression)(implicit
      operator: scala.reflect.ClassTag[A]
  ): Seq[Expression] = e match {
    case operator(both) => parts[A](both.left) ++ parts[A](both.right)
    case other => Seq(other)
  }
}
