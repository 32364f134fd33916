package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  RowOrdering,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types._

import io.scalegate.spark.rows.AttributeReader

/** The key of a row, which is compared with keys of the other side's rows in the order in which Spark sorts both. Made
  * and used within a task; one thread. It holds one key.
  */
sealed abstract private[spark] class GroupKey {

  /** Takes a row's key; false when it has a NULL, which equals nothing. The key may lie in the row. */
  def read(row: UnsafeRow): Boolean

  /** How it compares with a key of the same kind; neither has a NULL. */
  def compare(other: GroupKey): Int

  /** Takes another's key, which it keeps when that one reads the next row. */
  def keep(other: GroupKey): Unit
}

private[spark] object GroupKey {

  /** What reads keys of a side, of as many terms as those of the other.
    *
    * @param keys
    *   over `input`, of the types of the other side's
    */
  def apply(keys: Seq[Expression], input: Seq[Attribute]): GroupKey =
    if (keys.forall(key => isWhole(key.dataType))) new Numbers(keys, input)
    else new Terms(keys, input)

  /** Whether values of the type are sorted as the integers that rows hold for them. */
  private[this] def isWhole(of: DataType): Boolean = of match {
    case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType |
        TimestampNTZType => true
    case _ => false
  }

  /** Whole numbers. */
  final private class Numbers(keys: Seq[Expression], input: Seq[Attribute]) extends GroupKey {
    private[this] val reader = AttributeReader(keys, input)
    private val values = reader.keys

    def read(row: UnsafeRow): Boolean = reader.read(row)

    def compare(other: GroupKey): Int = {
      val others = other.asInstanceOf[Numbers].values
      var i = 0
      while (i < values.length && values(i) == others(i)) i += 1
      if (i == values.length) 0 else java.lang.Long.compare(values(i), others(i))
    }

    def keep(other: GroupKey): Unit =
      System.arraycopy(other.asInstanceOf[Numbers].values, 0, values, 0, values.length)
  }

  /** Any terms. */
  final private class Terms(keys: Seq[Expression], input: Seq[Attribute]) extends GroupKey {
    private[this] val projection = UnsafeProjection.create(keys, input)
    private[this] val order: Ordering[InternalRow] =
      RowOrdering.createNaturalAscendingOrdering(keys.map(_.dataType))
    private var key: UnsafeRow = _

    def read(row: UnsafeRow): Boolean = {
      key = projection(row)
      !key.anyNull()
    }

    def compare(other: GroupKey): Int = order.compare(key, other.asInstanceOf[Terms].key)

    def keep(other: GroupKey): Unit = {
      val kept = other.asInstanceOf[Terms].key
      if (key == null) key = kept.copy() else key.copyFrom(kept)
    }
  }
}
