package io.scalegate.bench.live

import java.time.Duration
import java.util.{List => JList, Properties}

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin.{AdminClient, NewTopic}
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.serialization.{StringDeserializer, StringSerializer}

/** Topics of a broker of Kafka for one run of the live bench, of a partition each: one for each of two streams, whose
  * events are lines with commas, and one for when results were due. A result is measured when it is read from there.
  *
  * `add` may be called by a thread for each stream.
  *
  * @param broker
  *   its address
  */
final class LiveTopics(broker: String) extends AutoCloseable {
  val id: String = System.nanoTime.toString
  val streams: Seq[String] = Seq(s"l-$id", s"r-$id")
  val results: String = s"results-$id"

  private[this] val producers = {
    val admin = AdminClient.create(properties())
    try
      admin.createTopics((streams :+ results).map(new NewTopic(_, 1, 1.toShort)).asJava).all.get()
    finally admin.close()
    streams.map(_ =>
      new KafkaProducer(properties(), new StringSerializer, new StringSerializer)
    )
  }
  @volatile private[this] var isOn = true
  private[this] val reading = new Thread(() => read(), "results")
  reading.setDaemon(true)
  reading.start()

  def add(stream: Int)(event: LiveEvent): Unit = {
    val line = s"${event.ts},${event.k},${event.x},${event.y},${event.due}"
    producers(stream).send(new ProducerRecord(streams(stream), line))
    ()
  }

  private[this] def read(): Unit = {
    val consumer =
      new KafkaConsumer(properties(), new StringDeserializer, new StringDeserializer)
    consumer.assign(JList.of(new TopicPartition(results, 0)))
    consumer.seekToBeginning(consumer.assignment)
    while (isOn)
      consumer.poll(Duration.ofMillis(100)).forEach(r => Measured.result(r.value.toLong))
    consumer.close()
  }

  private[this] def properties(): Properties = {
    val properties = new Properties
    properties.setProperty("bootstrap.servers", broker)
    properties.setProperty("linger.ms", LiveTopics.LingerMillis)
    properties
  }

  override def close(): Unit = {
    producers.foreach(_.close(Duration.ZERO))
    isOn = false
    reading.join()
  }
}

object LiveTopics {

  /** How long every writer to a topic waits for more records: the feeder's, and the sinks of all engines. */
  val LingerMillis = "1"
}
