package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Add,
  AttributeReference,
  CodegenObjectFactoryMode,
  Expression,
  GenericInternalRow,
  If,
  IsNull,
  Literal,
  UnsafeProjection
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.stream.SortableKey

/** Attributes read where they lie, by generated code, and evaluated one by one. */
final class AttributeReaderSuite extends AnyFunSuite {

  /** A column of each type that an attribute may have, two values of it, and the integers that these are sorted by. */
  private val columns = Seq[(DataType, Seq[(Any, Long)])](
    ByteType -> Seq(Byte.MinValue -> -128L, Byte.MaxValue -> 127L),
    ShortType -> Seq(Short.MinValue -> -32768L, Short.MaxValue -> 32767L),
    IntegerType -> Seq(Int.MinValue -> Int.MinValue.toLong, Int.MaxValue -> Int.MaxValue.toLong),
    LongType -> Seq(Long.MinValue -> Long.MinValue, Long.MaxValue -> Long.MaxValue),
    DateType -> Seq(-1 -> -1L, 20000 -> 20000L),
    TimestampType -> Seq(-1L -> -1L, (1L << 50) -> (1L << 50)),
    TimestampNTZType -> Seq(-7L -> -7L, (1L << 51) -> (1L << 51)),
    DayTimeIntervalType() -> Seq(-1L -> -1L, 86400000000L -> 86400000000L),
    FloatType -> Seq(
      Float.NaN -> SortableKey.ofFloat(Float.NaN).toLong,
      -0.0f -> SortableKey.ofFloat(0.0f).toLong
    ),
    DoubleType -> Seq(
      Double.NaN -> SortableKey.ofDouble(Double.NaN),
      -0.0 -> SortableKey.ofDouble(0.0)
    )
  )
  private val input = columns.zipWithIndex.map { case ((of, _), i) =>
    AttributeReference(s"c$i", of)()
  }
  private def row(value: Int): InternalRow =
    new GenericInternalRow(columns.map(_._2(value)._1).toArray[Any])
  private def expected(value: Int): Seq[Long] = columns.map(_._2(value)._2)
  private val inBytes = UnsafeProjection.create(input, input)

  /** The same values, which no reader can tell to be columns. */
  private val computed: Seq[Expression] =
    input.map(c => If(IsNull(c), Literal(null, c.dataType), c))

  private def inMode[A](mode: CodegenObjectFactoryMode.Value)(body: => A): A = {
    val conf = new SQLConf
    conf.setConfString(SQLConf.CODEGEN_FACTORY_MODE.key, mode.toString)
    SQLConf.withExistingConf(conf)(body)
  }

  private def readers: Seq[(String, AttributeReader)] = Seq(
    "columns" -> AttributeReader(input, input),
    "generated" -> inMode(CodegenObjectFactoryMode.CODEGEN_ONLY)(AttributeReader(
      computed,
      input
    )),
    "evaluated" -> inMode(CodegenObjectFactoryMode.NO_CODEGEN)(AttributeReader(computed, input))
  )

  for ((name, reader) <- readers)
    test(s"$name: every type, of rows of both kinds, as sortable integers") {
      for (value <- Seq(0, 1); of <- Seq(row(value), inBytes(row(value)))) {
        assert(reader.read(of))
        assert(reader.keys.toSeq == expected(value))
      }
    }

  for ((name, reader) <- readers)
    test(s"$name: a NULL anywhere is no row of attributes, and the next row is read whole") {
      for (i <- input.indices) {
        val missing = row(0).copy()
        missing.setNullAt(i)
        assert(!reader.read(missing) && !reader.read(inBytes(missing)), input(i))
        assert(reader.read(row(1)) && reader.keys.toSeq == expected(1), input(i))
      }
    }

  test("columns beside a term, in the order in which they are asked for") {
    val (int, long) = (input(2), input(3))
    val reader = AttributeReader(Seq(Add(long, Literal(1L)), int, long), input)
    assert(reader.read(row(0)))
    assert(reader.keys.toSeq == Seq(Long.MinValue + 1, Int.MinValue.toLong, Long.MinValue))
  }

  test("one column of 64 bits") {
    val reader = AttributeReader(Seq(input(3)), input)
    for (value <- Seq(0, 1); of <- Seq(row(value), inBytes(row(value))))
      assert(reader.read(of) && reader.keys.toSeq == Seq(expected(value)(3)))
    val missing = row(0).copy()
    missing.setNullAt(3)
    assert(!reader.read(missing))
  }

  test("generated code and one by one are chosen by Spark's setting") {
    val kinds = readers.map { case (_, reader) => reader.getClass.getSimpleName }
    assert(kinds == Seq("ColumnReader", "SpecificAttributeReader", "EvaluatedAttributes"))
  }
}
