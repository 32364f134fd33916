package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.rows.AttributeReader

/** Rows that are read over and over, from wherever they are kept, and how their attributes are read. One thread. */
final class KeptInput(val rows: () => Iterator[UnsafeRow], val reader: AttributeReader)
