"""A Kafka broker of one node on loopback, in a process of its own, and the topics in it."""

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{controller}
listeners=PLAINTEXT://{broker},CONTROLLER://{controller}
advertised.listeners=PLAINTEXT://{broker}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={logs}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
auto.create.topics.enable=false
"""
CLUSTER = "AAAAAAAAQACAAAAAAAAAAQ"
OPTIONS = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
SECONDS = 120


@dataclass
class Broker:
    """A node that runs, and its address."""

    address: str
    _start: Callable[[], "subprocess.Popen[bytes]"]

    def __post_init__(self) -> None:
        self._node = self._start()

    def restart(self) -> None:
        """Kills the node, and starts it again with what it had stored."""
        self.kill()
        self._node = self._start()

    def kill(self) -> None:
        self._node.kill()
        self._node.wait(SECONDS)


@contextmanager
def broker(jars: Path, directory: Path, environment: dict[str, str]) -> Iterator[Broker]:
    """Formats the node's storage and starts it. What it logs is in `broker.log`."""
    address, controller = free_addresses(2)
    properties = directory / "server.properties"
    properties.write_text(
        PROPERTIES.format(broker=address, controller=controller, logs=directory / "logs")
    )
    home = os.environ.get("JAVA_HOME")
    java = [str(Path(home, "bin", "java")) if home else "java", *OPTIONS, "-cp", f"{jars}/*"]
    with (directory / "broker.log").open("w") as log:

        def run(*main: str) -> "subprocess.Popen[bytes]":
            command = [*java, *main]
            return subprocess.Popen(command, stdout=log, stderr=log, env=environment)

        form = run("kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(properties))
        assert form.wait(SECONDS) == 0, (directory / "broker.log").read_text()
        node = Broker(address, lambda: run("kafka.Kafka", str(properties)))
        try:
            yield node
        finally:
            node.kill()


def free_addresses(count: int) -> list[str]:
    """Addresses of loopback on which nobody listens, all different."""
    with ExitStack() as stack:
        bound = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)
        ]
        return [f"127.0.0.1:{each.getsockname()[1]}" for each in bound]


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

    def size(self, topic: str) -> int:
        """How many records were ever written to a topic."""
        names = self._jvm.java.util.ArrayList([topic])
        described = self._get(self._admin.describeTopics(names).allTopicNames())
        latest = self._jvm.java.util.HashMap()
        for partition in described[topic].partitions():
            place = self._jvm.org.apache.kafka.common.TopicPartition(topic, partition.partition())
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
