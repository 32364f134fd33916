package io.scalegate.spark.settings

import java.util.Locale
import java.util.concurrent.TimeUnit

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.partition.MatrixLayout

/** The package's settings, all under `spark.scalegate.`, all changeable at run time. */
object ScaleGateConf {

  /** `false` leaves every plan as Spark makes it. */
  val Enabled = "spark.scalegate.enabled"

  /** Threads of a join that runs in one task, because its window counts rows, or because it is one of streams that
    * nothing but time bounds.
    */
  val CellThreads = "spark.scalegate.cellThreads"

  /** How window joins are run whose hint does not say, as [[Algorithm.parse]] reads it. */
  val JoinAlgorithm = "spark.scalegate.join.algorithm"

  /** The matrix of cells, as in `2x3`, of the joins that are run so and whose hint does not say; `auto` leaves it to
    * the planner.
    */
  val JoinLayout = "spark.scalegate.join.layout"

  /** Rows that the planner may read of each input, where that is cheap, to see which keys are frequent and which
    * bounds are selective; 0 for none.
    */
  val SampleRows = "spark.scalegate.join.sampleRows"

  /** `true` leaves every join to Spark whose condition may end in an error, such as an overflow in ANSI mode: Spark
    * evaluates it on pairs that no bound lets through, and gives errors where this package gives rows.
    */
  val AnsiErrors = "spark.scalegate.join.ansiErrors"

  def ansiErrors(conf: SQLConf): Boolean = boolean(conf, AnsiErrors, default = false)

  /** The build rows of a key that a sweep compares one by one with each probe row of the key. The rows of a key that has
    * more are sorted, and a window is swept over them.
    */
  val SweepAbove = "spark.scalegate.join.sweepAbove"

  def sweepAbove(conf: SQLConf): Int = atLeast(0, conf, SweepAbove, 128)

  /** A directory for the rows that came too late to a streaming join; unset for none. */
  val LateRows = "spark.scalegate.streaming.lateRows"

  /** The most bytes of a cached table beside a stream that are broadcast once, and kept for the batches after that; `0`
    * for none.
    */
  val KeptTableBytes = "spark.scalegate.streaming.keptTableBytes"

  def keptTableBytes(conf: SQLConf): Long = {
    val text = conf.getConfString(KeptTableBytes, "128m").trim
    try JavaUtils.byteStringAsBytes(text)
    catch {
      case _: NumberFormatException =>
        throw new IllegalArgumentException(
          s"$KeptTableBytes must be a size, as in 128m, or 0, not '$text'"
        )
    }
  }

  /** `false` lets no key of a streaming join be shared among partitions, however frequent it is. */
  val SplitHotKeys = "spark.scalegate.streaming.splitHotKeys"

  def splitHotKeys(conf: SQLConf): Boolean = boolean(conf, SplitHotKeys, default = true)

  /** The highest load of a partition over the average, up to which hot keys are left as they are, in batches and on
    * streams: `θ` of PPOIJ's Algorithm 1, a number from 1 to 100. The nearer to 1, the more keys are split, and copied.
    */
  val HotKeyTheta = "spark.scalegate.join.hotKeyTheta"

  def hotKeyTheta(conf: SQLConf): Double = {
    val text = conf.getConfString(HotKeyTheta, "1.25")
    OperatorOption.Theta.read(text.trim).getOrElse(
      throw new IllegalArgumentException(
        s"$HotKeyTheta must be ${OperatorOption.Theta.takes}, not '$text'"
      )
    )
  }

  /** How long a task that reads a source of a join in Real-Time Mode may send nothing until the join goes on without what
    * it promises, as a duration of Spark's settings such as `30s`; `0s` waits for each.
    */
  val IdleTimeout = "spark.scalegate.realTime.idleTimeout"

  /** `false` lets operators and sinks stand in a query with a join in Real-Time Mode that Spark does not allow there. */
  val CheckRealTime = "spark.scalegate.realTime.allowlistCheck"

  def checksRealTime(conf: SQLConf): Boolean = boolean(conf, CheckRealTime, default = true)

  /** Spark's: how rows are encoded in state stores. */
  val StateEncoding = "spark.sql.streaming.stateStore.encodingFormat"

  /** The only encoding of this package's operators. */
  val BinaryState = "unsaferow"

  def stateEncoding(conf: SQLConf): String =
    conf.getConfString(StateEncoding, BinaryState).toLowerCase(Locale.ROOT)

  /** Spark's: whether it refuses operators in Real-Time Mode that it does not know. */
  val SparkChecksRealTime = "spark.sql.streaming.realTimeMode.allowlistCheck"

  def sparkChecksRealTime(conf: SQLConf): Boolean =
    conf.getConfString(SparkChecksRealTime, "true").toBoolean

  /** When aggregates over windows of time give a window in Real-Time Mode: `final`, once, when all sources have passed
    * its end; `update`, whenever rows of it have come. `spark` leaves these aggregates to Spark.
    */
  val RealTimeWindows = "spark.scalegate.realTime.windows"

  def realTimeWindows(conf: SQLConf): Option[WindowEmission] = {
    val text = conf.getConfString(RealTimeWindows, LeftToSpark).trim
    if (text.equalsIgnoreCase(LeftToSpark)) None
    else
      Some(WindowEmission.find(text).getOrElse(throw new IllegalArgumentException(
        s"$RealTimeWindows must be $LeftToSpark, ${WindowEmission.all.mkString(" or ")}, not '$text'"
      )))
  }

  private[this] val LeftToSpark = "spark"

  def idleNanos(conf: SQLConf): Long = {
    val text = conf.getConfString(IdleTimeout, "60s")
    try TimeUnit.MILLISECONDS.toNanos(JavaUtils.timeStringAsMs(text))
    catch {
      case _: NumberFormatException =>
        throw new IllegalArgumentException(
          s"$IdleTimeout must be a duration, as in 30s, not '$text'"
        )
    }
  }

  def lateRows(conf: SQLConf): Option[String] =
    Some(conf.getConfString(LateRows, "").trim).filter(_.nonEmpty)

  /** `false` leaves aggregates over sliding windows to Spark. */
  val Aggregates = "spark.scalegate.aggregate.enabled"

  def aggregates(conf: SQLConf): Boolean = boolean(conf, Aggregates, default = true)

  /** `true` makes the groups of `GROUP BY` left columns over a join by equality keys and bounds without its pairs, as
    * those without a key are made. It pays where a left row has many right rows.
    */
  val GroupKeyedJoins = "spark.scalegate.aggregate.groupKeyedJoins"

  def groupKeyedJoins(conf: SQLConf): Boolean = boolean(conf, GroupKeyedJoins, default = false)

  /** How many slides a window must be long for the aggregate to be run on panes; windows that overlap less cost Spark
    * no more.
    */
  val MinOverlap = "spark.scalegate.aggregate.minOverlap"

  def minOverlap(conf: SQLConf): Int = atLeast(1, conf, MinOverlap, 2)

  /** `false` leaves the exchanges below this package's operators to Spark: the rows are the same, but are written and read
    * one by one.
    */
  val Exchanges = "spark.scalegate.exchange.enabled"

  def exchanges(conf: SQLConf): Boolean = boolean(conf, Exchanges, default = true)

  /** A design of the papers, with options or without, as in `wiml(inputs=2)`: how aggregates over sliding windows of
    * batches are run whose hint does not say, and that can be run so; `none` for panes.
    */
  val Design = "spark.scalegate.aggregate.design"

  def design(conf: SQLConf): Option[NamedDesign] = {
    val text = conf.getConfString(Design, NoDesign).trim
    if (text.equalsIgnoreCase(NoDesign)) None
    else
      Some(WindowDesign.find(text).getOrElse(throw new IllegalArgumentException(
        s"$Design must be $NoDesign or one of ${WindowDesign.all.map(_.name).mkString(", ")}, not '$text'"
      )))
  }

  private[this] val NoDesign = "none"

  /** None where the planner is to choose. */
  def algorithm(conf: SQLConf): Option[Algorithm] = {
    val text = conf.getConfString(JoinAlgorithm, Algorithm.Auto).trim
    Algorithm.parse(text).getOrElse(
      throw new IllegalArgumentException(
        s"$JoinAlgorithm must be one of ${Algorithm.names.mkString(", ")}, not '$text'"
      )
    )
  }

  /** None where the planner is to choose. */
  def layout(conf: SQLConf): Option[MatrixLayout] = {
    val text = conf.getConfString(JoinLayout, Algorithm.Auto).trim.toLowerCase(Locale.ROOT)
    if (text == Algorithm.Auto) None
    else
      Some(LayoutText.parse(text).getOrElse(
        throw new IllegalArgumentException(
          s"$JoinLayout must be ${Algorithm.Auto} or rows x columns of cells, as in 2x3, not '$text'"
        )
      ))
  }

  def enabled(conf: SQLConf): Boolean = boolean(conf, Enabled, default = true)

  def cellThreads(conf: SQLConf, default: Int): Int =
    atLeast(1, conf, CellThreads, default)

  def sampleRows(conf: SQLConf): Int = atLeast(0, conf, SampleRows, 4096)

  private[this] def atLeast(least: Int, conf: SQLConf, key: String, default: Int): Int = {
    val text = conf.getConfString(key, default.toString)
    text.toIntOption.filter(_ >= least).getOrElse(
      throw new IllegalArgumentException(
        s"$key must be a whole number of at least $least, not '$text'"
      )
    )
  }

  private[this] def boolean(conf: SQLConf, key: String, default: Boolean): Boolean = {
    val text = conf.getConfString(key, default.toString).trim.toLowerCase(Locale.ROOT)
    text.toBooleanOption.getOrElse(
      throw new IllegalArgumentException(s"$key must be true or false, not '$text'")
    )
  }
}
