"""A Kafka broker of one node on loopback, in a process of its own, for tests and the bench."""

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

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
SECONDS = 600


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
