package io.scalegate.bench.peers

import java.lang.{Long => JLong}
import java.time.Duration

import org.apache.flink.api.common.eventtime.{SerializableTimestampAssigner, WatermarkStrategy}
import org.apache.flink.api.common.functions.MapFunction
import org.apache.flink.api.common.serialization.SimpleStringSchema
import org.apache.flink.api.common.typeinfo.Types
import org.apache.flink.api.java.tuple.Tuple5
import org.apache.flink.connector.base.DeliveryGuarantee
import org.apache.flink.connector.kafka.sink.{KafkaRecordSerializationSchema, KafkaSink}
import org.apache.flink.connector.kafka.source.KafkaSource
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer
import org.apache.flink.streaming.api.datastream.DataStream
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment

import io.scalegate.bench.live.LiveTopics
import io.scalegate.bench.peers.FlinkLive._

/** The live bench's streams and results in topics of Kafka: see `LiveTopics`. */
private object FlinkTopics {
  def events(
      environment: StreamExecutionEnvironment,
      broker: String,
      topic: String
  ): DataStream[Live] = {
    val source = KafkaSource.builder[String]().setBootstrapServers(broker).setTopics(topic)
      .setStartingOffsets(OffsetsInitializer.earliest())
      .setValueOnlyDeserializer(new SimpleStringSchema).build()
    environment.fromSource(source, WatermarkStrategy.noWatermarks[String](), topic)
      .map(new Parsed).returns(row)
      .assignTimestampsAndWatermarks(
        WatermarkStrategy.forBoundedOutOfOrderness[Live](Duration.ofSeconds(1))
          .withTimestampAssigner(new EventTime)
      )
  }

  def write(due: DataStream[JLong], broker: String, topic: String): Unit = {
    val records = KafkaRecordSerializationSchema.builder[String]().setTopic(topic)
      .setValueSerializationSchema(new SimpleStringSchema).build()
    val sink = KafkaSink.builder[String]().setBootstrapServers(broker)
      .setRecordSerializer(records).setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
      .setProperty("linger.ms", LiveTopics.LingerMillis).build()
    due.map(new Line).returns(Types.STRING).sinkTo(sink)
    ()
  }
}

final private class Parsed extends MapFunction[String, Live] {
  override def map(line: String): Live = {
    val fields = line.split(',')
    Tuple5.of(
      fields(4).toLong,
      fields(1).toInt,
      fields(2).toInt,
      fields(3).toFloat,
      fields(0).toLong
    )
  }
}

final private class EventTime extends SerializableTimestampAssigner[Live] {
  override def extractTimestamp(event: Live, ofRecord: Long): Long = event.f4
}

final private class Line extends MapFunction[JLong, String] {
  override def map(due: JLong): String = due.toString
}
