package org.apache.spark.sql.scalegate

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.classic.{
  DataFrame => ClassicDataFrame,
  SparkSession => ClassicSession
}

/** Tables of rows in Spark's own form. */
object InternalRows {

  /** The same rows in as many partitions, which each query reads as they are; those of an RDD of `Row` are converted by
    * each task anew, for which it makes code.
    */
  def of(table: DataFrame): DataFrame = {
    val session = table.sparkSession.asInstanceOf[ClassicSession]
    val rows = table.asInstanceOf[ClassicDataFrame].queryExecution.toRdd.map(_.copy()).collect()
    val stored = session.sparkContext.parallelize(rows.toSeq, table.rdd.getNumPartitions)
    session.internalCreateDataFrame(stored, table.schema)
  }
}
