package org.apache.spark.sql.scalegate.stream

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.physical.{
  Distribution,
  Partitioning,
  StatefulOpClusteredDistribution,
  UnknownPartitioning,
  UnspecifiedDistribution
}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.sql.streaming.{OutputMode, StateOperatorProgress}
import org.apache.spark.sql.types.{StructField, StructType}

import io.scalegate.spark.checkpoint.CheckpointTerms
import io.scalegate.spark.join.stream.StreamJoin
import io.scalegate.spark.join.stream.realtime.{
  FiguresAccumulator,
  KnownSource,
  LiveFigures,
  TaskMeter
}
import io.scalegate.spark.settings.Errors
import io.scalegate.spark.window.stream.realtime.{LivePartialsExec, RealTimeWindows}
import io.scalegate.spark.window.stream.{
  PaneBatch,
  PaneBatchIterator,
  PaneMode,
  PaneStore,
  StreamPanes,
  WindowsOfBatch
}
import io.scalegate.stream.Sides

/** The aggregate of a stream over sliding windows, whose state is one partial result for each pane and key. A task of a
  * batch merges into the state, gives rows, and commits when it has no more.
  *
  * @param args
  *   the left input is what comes before the exchange; the right one is of no use
  * @param evaluated
  *   the expressions of `panes`
  * @param panes
  *   what is computed, but for its expressions
  */
final class StreamingPanesExec(
    args: DonorArgs,
    evaluated: Seq[Expression],
    @transient val panes: StreamPanes
) extends HostedExec(args, evaluated) {
  override protected def made(args: DonorArgs, hosted: Seq[Expression]): HostedExec =
    new StreamingPanesExec(args, hosted, panes)

  private[this] def keys: Seq[Attribute] = left.output.take(panes.keys.size)

  /** In Real-Time Mode, the columns that the input has more. */
  private[this] def told: Seq[Attribute] = left.output.takeRight(LivePartialsExec.Columns)

  override protected def partitions: Option[Int] = if (keys.isEmpty) Some(1) else None

  override protected def operatorName: String = "window aggregate"
  override protected def specFile: String = "aggregate"

  override protected def terms: CheckpointTerms = panes.checkpointed

  override protected def keySchema: StructType = schemaOf(panes.keyColumns)

  override protected def valueSchema: StructType = schemaOf(panes.valueColumns)

  /** Of columns of one name, all but the first have their number added. */
  private[this] def schemaOf(columns: Seq[Attribute]) = {
    val names = columns.map(_.name)
    StructType(columns.zipWithIndex.map { case (c, i) =>
      val before = names.take(i).count(_ == c.name)
      StructField(if (before == 0) c.name else s"${c.name}_${before + 1}", c.dataType, c.nullable)
    })
  }

  override protected def counters: Seq[(String, String)] =
    StreamingPanesExec.Counters ++ panes.realTime.toSeq.flatMap(_ => RealTimeCounters.names)

  /** What this batch's tasks tell in Real-Time Mode, on the driver. */
  @transient private[this] var figures: Option[FiguresAccumulator] = None

  /** Once its tasks have ended. */
  override def getProgress(): StateOperatorProgress = {
    figures.foreach(told =>
      RealTimeCounters.of(told.value) { (name, value) =>
        longMetric(name).set(value)
      }
    )
    super.getProgress()
  }

  override def nodeName: String = "StreamingPaneWindows"
  override def shortName: String = StreamingPanesExec.Name
  override private[scalegate] def parts: Seq[String] = panes.description

  override def output: Seq[Attribute] = panes.output

  override def requiredChildDistribution: Seq[Distribution] = {
    val ofRows =
      if (keys.isEmpty) allTogether.head
      else {
        val by = if (panes.realTime.isEmpty) keys else Seq(told(LivePartialsExec.cellAt))
        StatefulOpClusteredDistribution(by, getStateInfo.numPartitions)
      }
    Seq(ofRows, UnspecifiedDistribution)
  }

  override private[scalegate] def partitioningOver(
      left: SparkPlan,
      right: SparkPlan
  ): Partitioning =
    if (panes.realTime.isEmpty || keys.isEmpty) left.outputPartitioning
    else UnknownPartitioning(left.outputPartitioning.numPartitions)

  private[this] def mode: PaneMode = outputMode match {
    case Some(m) if m == OutputMode.Append() => PaneMode.Append
    case Some(m) if m == OutputMode.Complete() => PaneMode.Complete
    case _ => PaneMode.Update
  }

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    panes.hasWatermark && mode != PaneMode.Complete &&
      eventTimeWatermarkForEviction.exists(newInputWatermark > _)

  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] =
    Some(inputWatermarkMs)

  private[this] def batch: PaneBatch = {
    def micros(watermark: Option[Long]) = watermark.filter(_ => panes.hasWatermark)
      .fold(Long.MinValue)(StreamJoin.micros)
    PaneBatch(
      mode,
      micros(eventTimeWatermarkForLateEvents),
      micros(eventTimeWatermarkForEviction)
    )
  }

  override private[scalegate] def over(
      left: SparkPlan,
      right: SparkPlan,
      hosted: Seq[Expression]
  ): RDD[InternalRow] = {
    metrics
    if (panes.realTime.isEmpty && mode != PaneMode.Append)
      panes.design.foreach { design =>
        throw Errors.designCannot(
          design.toString,
          s"it gives a window once, when it is through, as in output mode append; this is ${mode.name}"
        )
      }
    val info = getStateInfo
    val (arriving, held) = {
      val computed = panes.withExpressions(hosted)
      (computed.arriving(left.output), computed.held)
    }
    val hadoopConf = broadcastHadoopConf()
    val stores = new OperatorStores(info, keySchema, valueSchema, stateStoreConf, hadoopConf)
    val (now, realTime, design) = (batch, panes.realTime, panes.design)
    val reached = new ReachedFiles(info, hadoopConf)
    val reachedBefore = reached.read(realTime.nonEmpty)
    if (realTime.nonEmpty) reached.begin(conf.minBatchesToRetain)
    val told = realTime.map { _ =>
      LiveFigures.begin(sparkContext, info.queryRunId.toString, info.operatorId, shortName)
    }
    figures = told
    val rows = left.execute()
    val sources = realTime.map { _ =>
      new SourceFiles(info, hadoopConf, Sides(SourceFiles.names(rows), Nil))
    }
    val sourcesBefore =
      sources.fold(Seq.empty[KnownSource])(_.begin(conf.minBatchesToRetain).left)
    val nothing = sparkContext.parallelize(Seq.empty[InternalRow], rows.getNumPartitions)
    val made: RDD[InternalRow] = rows.stateStoreAwareZipPartitions(
      nothing,
      info,
      stateStoreNames,
      session.sessionState.streamingQueryManager.stateStoreCoordinator
    ) { (partition: Int, some: Iterator[InternalRow], _: Iterator[InternalRow]) =>
      val started = System.nanoTime
      val store = stores.open(partition)
      val state = new PaneStateStore(store)
      // A batch that comes after Real-Time Mode closes what that has left open.
      val before = reachedBefore.get(partition)
      val windows = realTime.fold[WindowsOfBatch] {
        val from = now.copy(late = before.fold(now.late)(math.min(_, now.late)))
        new PaneBatchIterator(partition, some, arriving, held, from, state, design)
      } { terms =>
        val from = before.getOrElse(now.late)
        val meter = new TaskMeter(partition, info.storeVersion, 1, f => told.foreach(_.add(f)))
        new RealTimeWindows(
          partition,
          some,
          arriving,
          held,
          terms,
          design,
          from,
          sourcesBefore,
          state,
          meter
        )
      }
      val completion = new Completion(
        () => while (windows.hasNext) windows.next(),
        () => {
          longMetric("allUpdatesTimeMs") += millisSince(started)
          windows match {
            case live: RealTimeWindows =>
              reached.write(partition, live.passed)
              sources.foreach(_.write(partition, Sides(live.sources, Nil)))
            case _ =>
          }
          finish(windows, store)
        }
      )
      new CompletedRows(windows, completion)
    }
    if (realTime.nonEmpty) TaskSlots.await(made)
    made
  }

  /** A task's rows, after which the batch is finished. */
  final private class CompletedRows(rows: Iterator[InternalRow], completion: Completion)
      extends Iterator[InternalRow] {
    def hasNext: Boolean = {
      val more = rows.hasNext
      if (!more) completion.end()
      more
    }

    def next(): InternalRow = {
      completion.row()
      rows.next()
    }
  }

  private[this] def finish(windows: WindowsOfBatch, store: StateStore): Unit = {
    val removing = System.nanoTime
    windows.finish()
    longMetric("allRemovalsTimeMs") += millisSince(removing)
    val committing = System.nanoTime
    store.commit()
    longMetric("commitTimeMs") += millisSince(committing)
    longMetric("numRowsDroppedByWatermark") += windows.dropped
    longMetric("numUpdatedStateRows") += windows.updated
    longMetric("numRemovedStateRows") += windows.removed
    longMetric("merges") += windows.merges
    setStoreMetrics(store)
    setOperatorMetrics()
  }
}

object StreamingPanesExec {

  /** What the operator is called in a query's progress and in its checkpoint. */
  val Name = "windowAggregate"

  val Counters: Seq[(String, String)] = Seq("merges" -> "merges of partial results")

  /** @param mode
    *   of the query's output, where Spark does not tell it
    */
  def apply(
      panes: StreamPanes,
      mode: Option[OutputMode],
      inputs: Sides[SparkPlan]
  ): StreamingPanesExec = {
    val args = DonorArgs(Sides(Nil, Nil), inputs, DonorArgs.OfBatch(outputMode = mode))
    new StreamingPanesExec(args, panes.expressions, panes)
  }
}

/** Panes in one of Spark's state stores, whatever its provider. Opened by a task for one batch; one thread. */
final private class PaneStateStore(store: StateStore) extends PaneStore {
  def get(key: UnsafeRow): UnsafeRow = store.get(key)
  def put(key: UnsafeRow, value: UnsafeRow): Unit = store.put(key, value)
  def remove(key: UnsafeRow): Unit = store.remove(key)
  def all: Iterator[(UnsafeRow, UnsafeRow)] = store.iterator().map(pair => (pair.key, pair.value))
}
