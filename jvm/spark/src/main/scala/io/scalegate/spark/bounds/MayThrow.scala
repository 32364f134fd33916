package io.scalegate.spark.bounds

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.scalegate.SparkExpressions
import org.apache.spark.sql.types._

/** Whether the evaluation of an expression may end in an error instead of a value.
  *
  * A join evaluates what it bounds for every row, Spark evaluates a condition on pairs with equal keys, and only
  * until one of its conjuncts fails. So what may throw is evaluated as an [[Attempt]]. Expressions that are not
  * known here are taken to throw.
  */
object MayThrow {
  def apply(e: Expression): Boolean = e match {
    case _: Attempt | _: TryEval => false
    case constant if constant.foldable => Try(constant.eval()).isFailure
    case _ => throwsItself(e) || e.children.exists(apply)
  }

  private[this] def throwsItself(e: Expression): Boolean = e match {
    case a: BinaryArithmetic => arithmetic(a)
    case UnaryMinus(a, failOnError) => overflows(a.dataType, failOnError)
    case Abs(a, failOnError) => overflows(a.dataType, failOnError)
    case c: Cast => c.evalMode == EvalMode.ANSI && !neverFails(c.child.dataType, c.dataType)
    case t: UnixTimestamp => ofText(t.left)
    case t: ToUnixTimestamp => ofText(t.left)
    case other => !isTotal(other)
  }

  /** Negation and absolute value of the least number of an integer type; of an interval in every mode. */
  private[this] def overflows(t: DataType, failOnError: Boolean): Boolean = t match {
    case FloatType | DoubleType | _: DecimalType => false
    case ByteType | ShortType | IntegerType | LongType => failOnError
    case _ => true
  }

  private[this] def arithmetic(a: BinaryArithmetic): Boolean =
    throwsIn(a, SparkExpressions.evalMode(a))

  private[this] def throwsIn(a: BinaryArithmetic, mode: EvalMode.Value): Boolean = a match {
    case _: Add | _: Subtract | _: Multiply => mode != EvalMode.TRY && (a.dataType match {
        case FloatType | DoubleType => false
        case ByteType | ShortType | IntegerType | LongType => mode == EvalMode.ANSI
        case d: DecimalType =>
          mode == EvalMode.ANSI && d.precision == DecimalType.MAX_PRECISION
        case _ => true
      })
    case _: Divide | _: Remainder | _: Pmod | _: IntegralDivide =>
      mode == EvalMode.ANSI && !dividesSafely(a)
    case _: BitwiseAnd | _: BitwiseOr | _: BitwiseXor => false
    case _ => true
  }

  /** A number that is neither zero nor, where the quotient may be out of range, minus one. */
  private[this] def dividesSafely(a: BinaryArithmetic): Boolean = a.dataType match {
    case d: DecimalType if d.precision == DecimalType.MAX_PRECISION => false
    case _ =>
      a.right.foldable && Try(BigDecimal(a.right.eval().toString)).toOption
        .exists(number => number != 0 && number != -1)
  }

  private[this] def neverFails(from: DataType, to: DataType): Boolean = (from, to) match {
    case (DateType, TimestampType | TimestampNTZType) => false
    case (_: NumericType, FloatType | DoubleType) => true
    case (TimestampType, LongType | DoubleType | DateType) => true
    case _ => from == to || Cast.canUpCast(from, to)
  }

  private[this] def ofText(e: Expression): Boolean = e.dataType match {
    case DateType | TimestampType | TimestampNTZType => false
    case _ => true
  }

  private[this] def isTotal(e: Expression): Boolean = e match {
    case _: Attribute | _: Literal | _: BoundReference | _: Alias => true
    case _: BinaryComparison | _: And | _: Or | _: Not | _: In | _: InSet => true
    case _: IsNull | _: IsNotNull | _: IsNaN | _: NaNvl | _: Coalesce | _: If | _: CaseWhen =>
      true
    case _: Greatest | _: Least | _: KnownNotNull | _: GetStructField => true
    case _: DateAdd | _: DateSub | _: DateDiff | _: GetDateField | _: GetTimeField => true
    case _: UnixMicros | _: UnixMillis | _: UnixSeconds | _: UnixDate | _: MicrosToTimestamp =>
      true
    case _: UnscaledValue | _: UnaryMathExpression | _: XxHash64 | _: Murmur3Hash => true
    case _: Length | _: Upper | _: Lower | _: Substring | _: StringTrim | _: Concat => true
    case _ => false
  }
}
