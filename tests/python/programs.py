"""Programs and servers that the tests start as users do, each in a process of its own."""

import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from kafka_node import free_addresses
from sessions import PORT
from waits import BOUND, wait_until

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


def options(master: str) -> list[str]:
    return ["--master", master, "--conf", "spark.ui.enabled=false"]


def run(
    command: Sequence[str | Path], environment: dict[str, str], cwd: Path, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs one to its end, which must be a good one."""
    done = subprocess.run(
        command,
        env={**environment, "PYSPARK_PYTHON": sys.executable},
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=BOUND,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done


@contextlib.contextmanager
def connect_server(
    submit: Path, jars: Sequence[str], environment: dict[str, str], cwd: Path
) -> Iterator[str]:
    """Where a Spark Connect server that is started by spark-submit answers."""
    (address,) = free_addresses(1)
    command = [submit, *options("local[1]"), "--class", SERVER]
    command += ["--conf", f"{PORT}={address.split(':')[1]}"]
    command += ["--jars", ",".join(jars)] if jars else []
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(command, env=environment, cwd=cwd, stdout=quiet, stderr=quiet)
    try:
        wait_until(lambda: _answers(address), "the server's answer", server)
        yield f"sc://{address}"
    finally:
        server.kill()
        server.wait()


def _answers(address: str) -> bool:
    host, port = address.split(":")
    with socket.socket() as client:
        return client.connect_ex((host, int(port))) == 0
