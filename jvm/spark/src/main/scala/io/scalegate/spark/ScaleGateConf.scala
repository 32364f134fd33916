package io.scalegate.spark

import org.apache.spark.sql.internal.SQLConf

/** The package's settings, all under `spark.scalegate.`, all changeable at run time. */
object ScaleGateConf {

  /** `false` leaves every plan as Spark makes it. */
  val Enabled = "spark.scalegate.enabled"

  /** Threads of a join that runs in one task because its window counts rows. */
  val CellThreads = "spark.scalegate.cellThreads"

  def enabled(conf: SQLConf): Boolean = boolean(conf, Enabled, default = true)

  def cellThreads(conf: SQLConf, default: Int): Int = {
    val text = conf.getConfString(CellThreads, default.toString)
    text.toIntOption.filter(_ > 0).getOrElse(
      throw new IllegalArgumentException(
        s"$CellThreads must be a whole number of at least 1, not '$text'"
      )
    )
  }

  private[this] def boolean(conf: SQLConf, key: String, default: Boolean): Boolean = {
    val text = conf.getConfString(key, default.toString).trim.toLowerCase(java.util.Locale.ROOT)
    text.toBooleanOption.getOrElse(
      throw new IllegalArgumentException(s"$key must be true or false, not '$text'")
    )
  }
}
