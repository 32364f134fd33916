package io.scalegate.spark.exchange

import org.apache.spark.sql.execution.SparkPlan

/** A physical node whose tasks read what exchanges bring them: those below it, with operators of one input between or
  * without, are this package's own where they can be.
  */
trait ExchangeReader extends SparkPlan
