"""A Spark cluster on loopback whose workers are hosts of their own. Spark starts a second attempt
of a task that straggles on another host only, so `local-cluster` never does."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
from kafka_node import free_addresses

HOSTS = ("127.0.0.2", "127.0.0.3")
_DEPLOY = "org.apache.spark.deploy"


@contextmanager
def cluster(directory: Path, environment: dict[str, str]) -> Iterator[str]:
    """The master's URL. Each worker has one core; all processes end with the context."""
    home = Path(pyspark.__file__).parent
    script, (free,) = str(home / "bin" / "spark-class"), free_addresses(1)
    address, jvm = f"spark://{free}", {**environment, "SPARK_HOME": str(home)}
    on, port = free.split(":")
    at = ["--host", on, "--port", port, "--webui-port", "0"]
    commands = [[script, f"{_DEPLOY}.master.Master", *at]]
    for host in HOSTS:
        work = ["--work-dir", str(directory / host), "--webui-port", "0"]
        size = ["--cores", "1", "--memory", "1g"]
        commands.append(
            [script, f"{_DEPLOY}.worker.Worker", "--host", host, *size, *work, address]
        )
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [subprocess.Popen(c, env=jvm, **quiet) for c in commands]  # type: ignore[call-overload]
    try:
        yield address
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
