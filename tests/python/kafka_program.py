"""The programs that join two topics of Kafka, as tests start and kill them, and what they should
write of random events."""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kafka_broker import Topics
from waits import BOUND

EVENTS = 150
PARTITIONS = 3
BAND = 8.0
WITHIN = timedelta(seconds=5)
BEGIN = datetime(2024, 5, 1)
SENTINEL = BEGIN + timedelta(days=1)
LATE = BEGIN - timedelta(hours=1)
# Between two looks at the topics, which take as much of the processors as what is looked at.
PAUSE = 0.5
TIME = "%Y-%m-%dT%H:%M:%S.%f"


class Program:
    """An example, started with the same options each time, in a process group of its own."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        self._command, self._environment, self._log = command, environment, log

    def kill_when(self, condition: Callable[[], bool], *options: str) -> None:
        """Starts the program, and kills it and its JVM as soon as the condition holds."""
        with self._started(*options) as process:
            end = time.monotonic() + BOUND
            while not condition():
                if time.monotonic() > end:
                    pytest.fail(f"waited in vain\n{self._log.read_text()}\n{threads(process)}")
                with suppress(subprocess.TimeoutExpired):
                    process.wait(PAUSE)
                    pytest.fail(f"ended by itself\n{self._log.read_text()}")

    def end_without_executor(self, condition: Callable[[], bool], *options: str) -> str:
        """Starts the program, kills an executor when the condition holds, and waits for what the
        program ends by."""
        with self._started(*options) as process:
            end = time.monotonic() + BOUND
            while not condition():
                assert time.monotonic() < end and process.poll() is None, self._log.read_text()
                time.sleep(PAUSE)
            find = ["pgrep", "-g", str(process.pid), "-f", "CoarseGrainedExecutorBackend"]
            executors = subprocess.run(find, capture_output=True, text=True, check=True)
            os.kill(int(executors.stdout.split()[0]), signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                assert process.wait(BOUND) != 0
                return self._log.read_text()
            pytest.fail(f"waited in vain\n{self._log.read_text()}\n{threads(process)}")

    def run(self, *options: str) -> None:
        """Runs the program to its end."""
        with self._started(*options) as process:
            assert process.wait(BOUND) == 0, self._log.read_text()

    def output(self, *options: str) -> str:
        """What the program prints until its end."""
        with self._started(*options) as process:
            printed, _ = process.communicate(timeout=BOUND)
            assert process.returncode == 0, self._log.read_text()
            return printed.decode()

    @contextmanager
    def _started(self, *options: str) -> Iterator["subprocess.Popen[bytes]"]:
        with self._log.open("a") as log:
            process = subprocess.Popen(
                [*self._command, *options],
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            # Its JVM has the pipe too: at the pipe's end both are gone.
            process.communicate(timeout=BOUND)


def threads(process: "subprocess.Popen[bytes]") -> str:
    """What the threads of the program's JVM do, which it prints at SIGQUIT; it ends Python."""
    os.killpg(process.pid, signal.SIGQUIT)
    process.wait(BOUND)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.stdout
    return process.stdout.read().decode()


def events(seed: int, part: int) -> list[tuple[int, str]]:
    """One of a topic's three parts: times rise by half a second, but for two of disorder."""
    chance = random.Random(f"{seed} {part}")
    made = []
    for i in range(part * EVENTS, (part + 1) * EVENTS):
        ts = BEGIN + timedelta(milliseconds=500 * i + chance.randrange(2000))
        made.append((i % PARTITIONS, event(ts, round(chance.uniform(0, 100), 2))))
    return made


def event(ts: datetime, x: float) -> str:
    return json.dumps({"ts": ts.strftime(TIME)[:-3] + "Z", "x": x})


def placed(topics: Topics, topic: str) -> list[tuple[datetime, dict[str, Any]]]:
    """A topic's events with the id that the example gives them, but the last and the late one."""
    found = [
        {"id": f"{topic}-{row.partition}-{row.offset}", **json.loads(row.value)}
        for row in topics.records(topic)
    ]
    timed = [(datetime.strptime(each["ts"], TIME + "Z"), each) for each in found]
    return [(ts, each) for ts, each in timed if BEGIN <= ts < SENTINEL]


def results(topics: Topics, left: str = "bids", right: str = "asks") -> dict[str, dict[str, Any]]:
    """By its id, each result that an example should write of the events as they lie in Kafka."""
    found = {}
    asks = placed(topics, right)
    for ts, bid in placed(topics, left):
        near = [
            ask
            for ask_ts, ask in asks
            if abs(bid["x"] - ask["x"]) <= BAND and abs(ts - ask_ts) <= WITHIN
        ]
        for ask in near:
            key = f"{bid['id']}/{ask['id']}"
            found[key] = {**bid, "id": key, "ts_right": ask["ts"], "x_right": ask["x"]}
        if not near:
            found[bid["id"]] = bid
    return found
