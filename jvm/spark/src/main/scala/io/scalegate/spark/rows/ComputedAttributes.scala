package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodeAndComment,
  CodeFormatter,
  CodeGenerator,
  CodegenContext
}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BindReferences,
  CodeGeneratorWithInterpretedFallback,
  Expression
}

import io.scalegate.stream.SortableKey

/** Makes readers of attributes that are computed, in generated code that writes them where they are compared; they are
  * evaluated one by one where that fails.
  */
private object ComputedAttributes
    extends CodeGeneratorWithInterpretedFallback[Seq[Expression], AttributeReader] {
  def apply(attributes: Seq[Expression], input: Seq[Attribute]): AttributeReader =
    createObject(BindReferences.bindReferences(attributes, input))

  override protected def createInterpretedObject(attributes: Seq[Expression]): AttributeReader =
    new EvaluatedAttributes(attributes.toArray)

  override protected def createCodeGeneratedObject(attributes: Seq[Expression])
      : AttributeReader = {
    val ctx = new CodegenContext
    val values = ctx.generateExpressions(attributes, doSubexpressionElimination = true)
    val shared = ctx.subexprFunctionsCode
    val written = values.zip(AttributeReader.stored(attributes)).zipWithIndex.map {
      case ((value, stored), i) =>
        s"""
           |${value.code}
           |if (${value.isNull}) return false;
           |keys[$i] = ${keyOf(stored, value.value.toString)};
         """.stripMargin
    }
    val body = s"""
      public java.lang.Object generate(Object[] references) {
        return new SpecificAttributeReader(references);
      }

      class SpecificAttributeReader extends ${classOf[AttributeReader].getName} {
        private Object[] references;
        private final long[] keys;
        ${ctx.declareMutableStates()}

        public SpecificAttributeReader(Object[] references) {
          super(${attributes.length});
          this.references = references;
          this.keys = keys();
          ${ctx.initMutableStates()}
        }

        public boolean read(InternalRow ${ctx.INPUT_ROW}) {
          $shared
          ${written.mkString}
          return true;
        }

        ${ctx.declareAddedFunctions()}
      }
    """
    val code = CodeFormatter.stripOverlappingComments(
      new CodeAndComment(body, ctx.getPlaceHolderToComments())
    )
    val (made, _) = CodeGenerator.compile(code)
    made.generate(ctx.references.toArray).asInstanceOf[AttributeReader]
  }

  private[this] def keyOf(stored: String, value: String): String = {
    val sortable = SortableKey.getClass.getName.stripSuffix("$")
    stored match {
      case "double" => s"$sortable.ofDouble($value)"
      case "float" => s"$sortable.ofFloat($value)"
      case _ => value
    }
  }
}

/** Evaluates attributes, which are bound to the row's columns. */
final private class EvaluatedAttributes(attributes: Array[Expression])
    extends AttributeReader(attributes.length) {
  def read(row: InternalRow): Boolean = {
    var i = 0
    var present = true
    while (i < attributes.length && present) {
      val value = attributes(i).eval(row)
      present = value != null
      if (present) keys(i) = keyOf(value)
      i += 1
    }
    present
  }

  private[this] def keyOf(value: Any): Long = value match {
    case d: Double => SortableKey.ofDouble(d)
    case f: Float => SortableKey.ofFloat(f).toLong
    case n => n.asInstanceOf[Number].longValue
  }
}
