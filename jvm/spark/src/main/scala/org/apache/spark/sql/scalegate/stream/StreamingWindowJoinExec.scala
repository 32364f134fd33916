package org.apache.spark.sql.scalegate.stream

import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.{
  Distribution,
  Partitioning,
  SinglePartition,
  UnknownPartitioning
}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.sql.scalegate.TaskAccess
import org.apache.spark.sql.streaming.StateOperatorProgress
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.CollectionAccumulator

import io.scalegate.spark.checkpoint.CheckpointTerms
import io.scalegate.spark.join.AddressedPairs
import io.scalegate.spark.join.stream.StreamJoin
import io.scalegate.spark.join.stream.hotkeys.{HotKeyHistory, HotKeySplitting, PartitionReport}
import io.scalegate.spark.join.stream.realtime.{
  Arrivals,
  FiguresAccumulator,
  KnownSource,
  LiveFigures,
  RealTimePairs
}
import io.scalegate.spark.join.stream.state.HeldState
import io.scalegate.spark.join.stream.task.{BatchPairs, BatchServices, StreamBatch}
import io.scalegate.spark.settings.{Errors, ScaleGateConf}
import io.scalegate.stream.{Side, Sides}

/** The join of two streams over a window. A task of a batch joins its rows with the state, gives rows, and commits when
  * it has no more.
  *
  * Its rows are [[io.scalegate.spark.join.AddressedPairs]], each valid until the next is asked for: a
  * [[io.scalegate.spark.join.WindowJoinOutputExec]] above makes rows of them.
  *
  * @param args
  *   the keys of which are none where all rows meet in one task
  * @param evaluated
  *   the expressions of `join`
  * @param join
  *   what is joined, and how, but for its expressions
  */
final class StreamingWindowJoinExec(
    args: DonorArgs,
    evaluated: Seq[Expression],
    @transient val join: StreamJoin
) extends HostedExec(args, evaluated) {
  private[this] def single = leftKeys.isEmpty

  override protected def made(args: DonorArgs, hosted: Seq[Expression]): HostedExec =
    new StreamingWindowJoinExec(args, hosted, join)

  override protected def partitions: Option[Int] = join.exchange.partitions

  override protected def operatorName: String = "window join"
  override protected def specFile: String = "join"

  override protected def terms: CheckpointTerms = join.checkpointed(leftColumns, rightColumns)

  override protected def keySchema: StructType = ChunkStateStore.KeySchema

  override protected def valueSchema: StructType =
    ChunkStateStore.valueSchema(leftColumns, rightColumns)

  override protected def counters: Seq[(String, String)] =
    StreamingWindowJoinExec.Counters ++
      join.realTime.toSeq.flatMap(_ => RealTimeCounters.names)

  /** What this batch's tasks tell, on the driver. */
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

  override def nodeName: String = "StreamingWindowJoin"
  override def shortName: String = StreamingWindowJoinExec.Name
  override private[scalegate] def parts: Seq[String] =
    (join.probing.name +: join.description.split("; ").toSeq) ++
      join.realTime.map(_ => "real time: as the rows come")
  override def simpleString(maxFields: Int): String =
    s"$nodeName ${parts.head}, ${parts.tail.mkString("; ")}"

  private[this] def leftColumns = join.joined(left.output)
  private[this] def rightColumns = join.joined(right.output)

  override def output: Seq[Attribute] = join.output(Sides(leftColumns, rightColumns))

  override def requiredChildDistribution: Seq[Distribution] =
    if (single) allTogether else super.requiredChildDistribution

  override private[scalegate] def partitioningOver(
      left: SparkPlan,
      right: SparkPlan
  ): Partitioning =
    if (single) SinglePartition
    else if (join.exchange.cells.nonEmpty || join.exchange.splitting.nonEmpty)
      UnknownPartitioning(left.outputPartitioning.numPartitions)
    else join.probing.partitioning(left.outputPartitioning, right.outputPartitioning)

  /** Only for rows that it gives. What has expired goes with the next batch, which has data. */
  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    join.givesAtWatermark && eventTimeWatermarkForEviction.exists(newInputWatermark > _)

  /** The least event time that a row may still come with, in either of its event times. */
  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] =
    Some(join.outputWatermark(inputWatermarkMs))

  override private[scalegate] def over(
      left: SparkPlan,
      right: SparkPlan,
      hosted: Seq[Expression]
  ): RDD[InternalRow] = {
    metrics
    val info = getStateInfo
    val task = join.withExpressions(hosted).task(leftColumns, rightColumns)
    val hadoopConf = broadcastHadoopConf()
    val access = new ChunkStateStores(info, valueSchema, stateStoreConf, hadoopConf)
    val lateRows = ScaleGateConf.lateRows(conf).map { directory =>
      val columns = (join.visible(leftColumns), join.visible(rightColumns))
      new LateRowFiles(directory, info.operatorId, columns, hadoopConf, conf)
    }
    val batch = StreamJoin.batch(
      info.storeVersion,
      eventTimeWatermarkForLateEvents,
      eventTimeWatermarkForEviction
    )
    val split = join.exchange.splitting.map(begin(_, batch, hadoopConf.value.value))
    val realTime = join.realTime
    realTime.foreach(_ => refuseSharedKeys(hadoopConf.value.value))
    val told = realTime.map { _ =>
      LiveFigures.begin(sparkContext, info.queryRunId.toString, info.operatorId, shortName)
    }
    figures = told
    val (present, wanted) = (Sides(left.output, right.output), Sides(leftColumns, rightColumns))
    val times =
      Sides.each(side => wanted(side).indexWhere(_.exprId == join.condition.times(side).exprId))
    val (ofLeft, ofRight) =
      if (realTime.nonEmpty) (left.execute(), right.execute())
      else
        (
          StreamingWindowJoinExec.columns(left, leftColumns),
          StreamingWindowJoinExec.columns(right, rightColumns)
        )
    val sources = realTime.map { _ =>
      val names = Sides(SourceFiles.names(ofLeft), SourceFiles.names(ofRight))
      new SourceFiles(info, hadoopConf, names)
    }
    val sourcesBefore =
      sources.fold(Sides(Seq.empty[KnownSource], Seq.empty))(_.begin(conf.minBatchesToRetain))
    val joined: RDD[InternalRow] = ofLeft.stateStoreAwareZipPartitions(
      ofRight,
      info,
      stateStoreNames,
      session.sessionState.streamingQueryManager.stateStoreCoordinator
    ) { (partition: Int, l: Iterator[InternalRow], r: Iterator[InternalRow]) =>
      val started = System.nanoTime
      val store = access.open(partition)
      val (held, rebuilt) = access.held(store, task)
      if (rebuilt) longMetric("rebuilds") += 1
      val late = lateRows.map(_.open(batch.number, partition))
      val context = TaskContext.get()
      val services = BatchServices(
        store,
        side => row => late.foreach(_.add(side, row)),
        () => TaskAccess.stopIfKilled(context)
      )
      val rows = realTime.fold(task.join(Sides(l, r), batch, held, services)) { terms =>
        val arrivals = new Arrivals(Sides(l, r), present, wanted, times, context)
        new RealTimePairs(
          task,
          arrivals,
          terms,
          batch.number,
          held,
          sourcesBefore,
          services,
          f => told.foreach(_.add(f))
        )
      }
      context.addTaskCompletionListener[Unit](_ => rows.close())
      val completion = new Completion(
        () => while (rows.advance()) (),
        () => {
          longMetric("allUpdatesTimeMs") += millisSince(started)
          late.foreach(_.close())
          rows match {
            case live: RealTimePairs => sources.foreach(_.write(partition, live.sources))
            case _ =>
          }
          val state = finish(access, store, rows)
          split.foreach(_.add(PartitionReport(
            partition,
            state.latest(Side.R),
            state.latest(Side.S),
            rows.comparisons
          )))
        }
      )
      new CompletedPairs(rows, completion)
    }
    if (realTime.nonEmpty) TaskSlots.await(joined)
    joined
  }

  /** A task's pairs, after which the batch is finished. */
  final private class CompletedPairs(pairs: BatchPairs, completion: Completion)
      extends AddressedPairs(pairs.leftAddress, pairs.rightAddress) {
    def advance(): Boolean = {
      val more = pairs.advance()
      if (more) completion.row() else completion.end()
      more
    }
  }

  private[this] def finish(
      access: ChunkStateStores,
      store: ChunkStateStore,
      rows: BatchPairs
  ): HeldState = {
    val removing = System.nanoTime
    val state = rows.finish()
    longMetric("allRemovalsTimeMs") += millisSince(removing)
    val committing = System.nanoTime
    access.commit(store, state)
    longMetric("commitTimeMs") += millisSince(committing)
    longMetric("numRowsDroppedByWatermark") += rows.dropped
    longMetric("numUpdatedStateRows") += rows.added
    longMetric("comparisons") += rows.comparisons
    longMetric("leftStateRows") += state.leftRows
    longMetric("rightStateRows") += state.rightRows
    longMetric("leftStateBytes") += state.leftBytes
    longMetric("rightStateBytes") += state.rightBytes
    report(store, state.leftRows + state.rightRows, state.leftBytes + state.rightBytes)
    state
  }

  private[this] def hotKeyFiles(hadoopConf: Configuration) =
    new HotKeyFiles(getStateInfo, hadoopConf, conf.minBatchesToRetain)

  /** In Real-Time Mode rows go to their keys' homes alone. */
  private[this] def refuseSharedKeys(hadoopConf: Configuration): Unit = {
    val shared = hotKeyFiles(hadoopConf).latest(getStateInfo.storeVersion).keys.size
    if (shared > 0) throw Errors.realTimeHotKeys(shared, ScaleGateConf.SplitHotKeys)
  }

  /** Says how the batch's rows are shared, before the inputs are executed; gives what the partitions report to. */
  private[this] def begin(
      splitting: HotKeySplitting,
      batch: StreamBatch,
      hadoopConf: Configuration
  ): CollectionAccumulator[PartitionReport] = {
    val info = getStateInfo
    val history = HotKeyHistories.getOrMake(info, session) {
      new HotKeyHistory(
        hotKeyFiles(hadoopConf),
        join.condition.window,
        join.single,
        info.numPartitions
      )
    }
    val theta = Option.when(ScaleGateConf.splitHotKeys(conf))(ScaleGateConf.hotKeyTheta(conf))
    val begun = history.begin(batch, theta, sparkContext)
    splitting.begin(begun)
    longMetric("hotKeys") += begun.hot.keys.size
    begun.reports
  }

  private[this] def report(store: ChunkStateStore, rows: Long, bytes: Long): Unit = {
    val ofStore = store.state.metrics
    longMetric("numTotalStateRows") += rows
    longMetric("stateMemory") += bytes + ofStore.memoryUsedBytes
    setMetricsOf(ofStore)
    setOperatorMetrics()
    store.checkpointInfo.foreach(setStateStoreCheckpointInfo)
  }
}

object StreamingWindowJoinExec {

  /** What the operator is called in a query's progress and in its checkpoint. */
  val Name = "windowJoin"

  /** What the progress tells beside what it tells of every stateful operator. */
  val Counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "leftStateRows" -> "state rows of the left side",
    "rightStateRows" -> "state rows of the right side",
    "leftStateBytes" -> "state bytes of the left side's rows",
    "rightStateBytes" -> "state bytes of the right side's rows",
    "rebuilds" -> "tasks that read their state from the checkpoint",
    "hotKeys" -> "keys that several partitions share"
  )

  /** @param keys
    *   by which the inputs are exchanged
    */
  def planned(
      join: StreamJoin,
      keys: Sides[Seq[Expression]],
      inputs: Sides[SparkPlan]
  ): PlannedExec = {
    val columns = inputs.map(input => join.joined(input.output))
    val normalized = keys.map(_.map(TaskAccess.normalized))
    PlannedExec(
      join.output(columns),
      inputs.left,
      inputs.right,
      over =>
        new StreamingWindowJoinExec(DonorArgs(normalized, over), join.expressions, join)
    )
  }

  /** An input's rows without their cells. */
  private def columns(input: SparkPlan, wanted: Seq[Attribute]): RDD[InternalRow] = {
    val present = input.output
    if (present.length == wanted.length) input.execute()
    else
      input.execute().mapPartitions { rows =>
        val project = UnsafeProjection.create(wanted, present)
        rows.map(project)
      }
  }
}
