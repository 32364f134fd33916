"""The topics of a Kafka broker."""

from typing import Any

import pyarrow as pa
from kafka_node import SECONDS, Broker
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F


class Topics:
    """A broker's topics: Spark writes and reads them, Kafka's own client makes and counts."""

    def __init__(self, spark: SparkSession, node: Broker) -> None:
        self.node = node
        self.servers = servers = node.address
        self._spark = spark
        self._jvm: Any = spark._jvm
        self._admin_package = self._jvm.org.apache.kafka.clients.admin
        self._admin = self._admin_package.AdminClient.create({"bootstrap.servers": servers})

    def create(self, *names: str, partitions: int = 3) -> None:
        """Makes topics, when the broker answers."""
        topics = [self._admin_package.NewTopic(name, partitions, 1) for name in names]
        made = self._admin.createTopics(self._jvm.java.util.ArrayList(topics))
        self._get(made.all())

    def add_partition(self, topic: str, count: int) -> None:
        """Makes so many partitions of a topic's, one more than there were."""
        more = {topic: self._admin_package.NewPartitions.increaseTo(count)}
        self._get(self._admin.createPartitions(more).all())

    def partitions(self, topic: str) -> int:
        """How many partitions a topic has."""
        names = self._jvm.java.util.ArrayList([topic])
        described = self._get(self._admin.describeTopics(names).allTopicNames())
        return len(described[topic].partitions())

    def size(self, topic: str) -> int:
        """How many records were ever written to a topic."""
        latest = self._jvm.java.util.HashMap()
        for partition in range(self.partitions(topic)):
            place = self._jvm.org.apache.kafka.common.TopicPartition(topic, partition)
            latest[place] = self._admin_package.OffsetSpec.latest()
        ends = self._get(self._admin.listOffsets(latest).all())
        return sum(end.offset() for end in ends.values())

    def append(self, topic: str, records: list[tuple[int, str]]) -> None:
        """Writes records, each to its partition, in their order."""
        partitions, values = zip(*records)
        columns = {"partition": pa.array(partitions, pa.int32()), "value": values}
        rows = self._spark.createDataFrame(pa.table(columns)).coalesce(1)
        self._options(rows.write.format("kafka")).option("topic", topic).save()

    def records(self, topic: str) -> list[Row]:
        """What a topic holds: partition, offset, key, value."""
        reader = self._options(self._spark.read.format("kafka")).option("subscribe", topic)
        text = [F.col(name).cast("string").alias(name) for name in ("key", "value")]
        found: DataFrame = reader.load().select("partition", "offset", *text)
        return found.collect()

    def close(self) -> None:
        self._admin.close()

    def _options(self, io: Any) -> Any:
        return io.option("kafka.bootstrap.servers", self.servers)

    def _get(self, future: Any) -> Any:
        return future.get(SECONDS, self._jvm.java.util.concurrent.TimeUnit.SECONDS)
