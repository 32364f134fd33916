"""The programs behind the papers' figures, over as many threads as there are (`--threads`).

Each figure's workload is its paper's, with shorter windows where the paper's take minutes to
fill; `joinbench.papers` says for each figure what is the same and what is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod
from pathlib import Path

from joinbench.arm import Arm, Settings, Unavailable
from joinbench.arms.jvm import (
    CONCURRENT_COLLECTOR,
    THROUGHPUT_COLLECTOR,
    Classpath,
    Jvm,
    Program,
)
from joinbench.datasets import Workload

SCALING = "io.scalegate.bench.figure.JoinScalingMain"
SKEW = "io.scalegate.bench.figure.JoinSkewMain"
LATENCY = "io.scalegate.bench.figure.JoinLatencyMain"
OUTPUT_RATE = "io.scalegate.bench.figure.OutputRateMain"
GATE = "io.scalegate.bench.gate.GateThroughput"
INTERVAL = "io.scalegate.bench.join.IntervalJoinMain"
INTERVAL_LATENCY = "io.scalegate.bench.join.IntervalLatencyMain"
INDEX = "io.scalegate.bench.join.IndexScalingMain"
MATCH_RATE = "io.scalegate.bench.index.MatchRateMain"
INSERT_SHARES = "io.scalegate.bench.index.InsertSharesMain"
MERGE = "io.scalegate.bench.join.MergeLatencyMain"
AGGREGATE = "io.scalegate.bench.aggregate.AggregateThroughput"
OPERATIONS = "io.scalegate.bench.aggregate.AggregateOperationsMain"
HIVE = "io.scalegate.bench.gate.HiveCatchUpMain"


def joined(values: Iterable[object]) -> str:
    return ",".join(str(value) for value in values)


def counts(most: int) -> list[int]:
    """The numbers of threads that a curve has: 1, 2, 4, 8, 12, and all."""
    return sorted({*(n for n in (1, 2, 4, 8, 12) if n <= most), most})


def fewer(most: int) -> list[int]:
    every = counts(most)
    return every if len(every) < 4 else [*every[:-1:2], every[-1]]


def layouts(most: int) -> list[str]:
    """The shapes of the paper's numbers of workers that fit (12 for its 16): square, rectangular
    and linear. Two workers have the last alone.
    """
    shapes = {2: ["1x2"], 6: ["2x3", "1x6"], 9: ["3x3", "1x9"], 12: ["3x4", "2x6", "1x12"]}
    return [f"matrix-{shape}" for n, of in shapes.items() if n <= most for shape in of]


def workers(layout: str) -> int:
    return prod(int(side) for side in layout.removeprefix("matrix-").split("x"))


def turned(layout: str) -> str:
    """Its rows as columns."""
    rows, columns = layout.removeprefix("matrix-").split("x")
    return f"matrix-{columns}x{rows}"


def gate_shapes(most: int) -> list[str]:
    return [f"{s}x{r}" for r in (1, 4) if r <= most for s in (1, 2, 4, 8) if s <= most]


def designs(query: str) -> str:
    return "MQ,MQLF,TuMLSC" + (",WiML" if query.endswith("OI") else "")


@dataclass(frozen=True)
class Source:
    """A program whose measurements are the points of some figures: what it is given, by the
    number of threads, and what it is given to show only that it runs.
    """

    paper: str
    name: str
    main: str
    family: str
    arguments: Callable[[int], list[str]]
    quick: list[str]
    options: tuple[str, ...] = THROUGHPUT_COLLECTOR


def scaling(
    paper: str,
    name: str,
    windows: list[int],
    threads: Callable[[int], list[int]],
    arms: Callable[[int], list[str]],
) -> Source:
    def arguments(most: int) -> list[str]:
        return [joined(windows), joined(threads(most)), "1000", *arms(most)]

    return Source(paper, name, SCALING, "scaling", arguments, ["100", "1", "200", *arms(1)[:1]])


def batches_of_emitters(name: str, skew: str) -> Source:
    """PPOIJ's patterns by emitters with batches of several sizes, beside those by a gate."""
    sizes = [f"emitters/{size}" for size in BATCHES]

    def arguments(most: int) -> list[str]:
        return ["600000", "100000", skew, str(min(most, 8)), "2", "50", *sizes]

    quick = ["10000", "1000", skew, "2", "1", "50", sizes[1]]
    return Source("oij-batches", name, INTERVAL, "interval", arguments, quick)


def interval(
    name: str,
    skew: str,
    keys: list[int],
    threads: Callable[[int], list[int]],
    paper: str = "ppoij",
    arms: tuple[str, ...] = (),
) -> Source:
    def arguments(most: int) -> list[str]:
        return ["600000", "100000", skew, joined(threads(most)), "2", *map(str, keys), *arms]

    quick = ["10000", "1000", skew, "2", "1", str(keys[0]), *arms]
    return Source(paper, name, INTERVAL, "interval", arguments, quick)


def patterns(paper: str, *arms: str, by_keys: tuple[str, ...] = ()) -> list[Source]:
    """The runs of PPOIJ's figures 10 to 14; those over the numbers of keys with more arms."""
    few = [(f"skew-{skew}", skew, [50], at_most(8)) for skew in SKEWS]
    return [
        interval(*of, paper, arms + (by_keys if of[2] == KEYS else ()))
        for of in (
            ("replicas", "0.35", [50], counts),
            ("keys", "0.35", KEYS, at_most(8)),
            ("keys-uniform", "0.5", KEYS, at_most(8)),
            *few,
        )
    ]


def beside_scale_oij(most: int) -> list[str]:
    """A tenth of the interval: Scale-OIJ follows a pointer for each comparison."""
    return ["300000", "10000", "0.5", joined(counts(most)), "2", "100", "1000", "Scale-OIJ"]


def interval_latency(name: str, *of: str, arms: str, skews: list[str]) -> Source:
    """`of`: tuples, the interval in tuples, and keys."""

    def arguments(most: int) -> list[str]:
        return [*of, str(most), "0.5", arms, *skews]

    quick = ["10000", "1000", "5", "1", "0.5", arms, skews[0]]
    return Source(
        "oij-latency", name, INTERVAL_LATENCY, "latency", arguments, quick, CONCURRENT_COLLECTOR
    )


def index(name: str, windows: str, threads: Callable[[int], list[int]], last: str) -> Source:
    arms = ["indexjoin", "parallel", last]
    return index_joins("pim-tree", name, windows, arms, threads=threads)


def index_joins(
    paper: str,
    name: str,
    windows: str,
    arms: list[str],
    *,
    threads: Callable[[int], list[int]] = lambda most: [most],
    keys: str = "uniform",
    matches: str = "2",
) -> Source:
    """Lists are separated by commas; windows are logarithms."""

    def arguments(most: int) -> list[str]:
        return ["2", joined(threads(most)), windows, keys, matches, *arms]

    quick = ["1", "1", "10", keys.partition(",")[0], matches.partition(",")[0], arms[-1]]
    return Source(paper, name, INDEX, "scaled", arguments, quick)


def one_thread(name: str, indexes: list[str], windows: str, matches: str = "2") -> Source:
    """`matches` are rates, or `steps`."""

    def arguments(most: int) -> list[str]:
        return ["uniform", "500000", "3", joined(indexes), matches, *windows.split(",")]

    first = matches.partition(",")[0]
    quick = ["uniform", "10000", "1", indexes[-1], first, "10"]
    family = "steps" if matches == "steps" else "index"
    return Source("pim-parameters", name, MATCH_RATE, family, arguments, quick)


def parallel(name: str, windows: str, arms: Iterable[str], **of: str) -> Source:
    return index_joins("pim-parameters", name, windows, list(arms), **of)


def self_joins(name: str, windows: str, arms: list[str], **of: str) -> Source:
    return index_joins("pim-self", name, windows, arms, **of)


def two_bands(name: str, windows: str, matches: str) -> Source:
    arms = ["indexjoin", "indexjoin-2d", "parallel", "parallel-2d"]
    return index_joins("pim-plane", name, windows, arms, keys="plane/uniform", matches=matches)


def task_latency(most: int) -> list[str]:
    arms = joined(f"parallel-1/2/{size}" for size in TASKS)
    return [str(most), "0.5", "500000", "3", arms, "16"]


def update_threads(query: str) -> Source:
    """TuMLMC's numbers of update threads, beside a third as many that feed."""

    def arguments(most: int) -> list[str]:
        feeders = max(1, most // 3)
        of = joined(f"TuMLMC({n})" for n in counts(max(2, most - feeders)))
        return ["5", "400000", str(feeders), "20", query, of]

    quick = ["1", "20000", "1", "2", query, "TuMLMC(1),TuMLMC(2)"]
    name = f"update-threads-{query}"
    return Source("t-gate", name, AGGREGATE, "aggregate", arguments, quick)


def inputs(query: str) -> Source:
    def arguments(most: int) -> list[str]:
        return ["5", "400000", str(max(1, most - 3)), "2,10,40", query, designs(query)]

    quick = ["1", "20000", "1", "2", query, designs(query)]
    return Source("t-gate", f"inputs-{query}", AGGREGATE, "aggregate", arguments, quick)


def operations(name: str, *of: str, quick: list[str]) -> Source:
    return Source("t-gate-operations", name, OPERATIONS, "operations", lambda most: [*of], quick)


def latency_by_rate(query: str) -> Source:
    """Of the designs with 20 inputs: at rates that all sustain, and beyond."""
    of = ["3", "200000", "1", "20", query, designs(query)]
    rates = joined(RATES)
    quick = ["1", "20000", "1", "2", query, designs(query), "1000000"]
    name = f"rates-{query}"
    return Source(
        "t-gate-operations",
        name,
        AGGREGATE,
        "aggregate",
        lambda most: [*of, rates],
        quick,
        CONCURRENT_COLLECTOR,
    )


def latency(name: str, *of: int) -> Source:
    """`of`: the rates of R and S a second, and their windows in seconds."""

    def arguments(most: int) -> list[str]:
        largest = [
            layout for layout in layouts(most) if workers(layout) == workers(layouts(most)[-1])
        ]
        symmetric = of[0] * of[2] == of[1] * of[3]
        shapes = layouts(most) if symmetric else [*largest, *map(turned, largest)]
        return [*map(str, of), str(min(12, most)), "2", name, *shapes, "scalejoin"]

    quick = ["1000", "1000", "1", "1", "1", "1", name, "matrix-1x1"]
    return Source(
        "dp-join",
        f"latency-{name.replace(' ', '-')}",
        LATENCY,
        "latency",
        arguments,
        quick,
        CONCURRENT_COLLECTOR,
    )


def at_most(limit: int) -> Callable[[int], list[int]]:
    return lambda most: [min(limit, most)]


def output_rates(most: int) -> list[str]:
    """Streams that need three quarters of the workers."""
    line = [f"matrix-1x{n}" for n in counts(most)]
    other = [*layouts(most), "matrix-2x1"]
    return [str(0.75 * most), "2", "4", *dict.fromkeys((*line, *other))]


def every(most: int) -> list[str]:
    return ["handshake", "llhj", "splitjoin", "celljoin"]


KEYS = [5, 25, 50, 100, 500, 1000, 10000]
BATCHES = [1, 2, 4, 8, 16, 32, 64]
SKEWS = ("0.05", "0.1", "0.2", "0.3", "0.4")
DEPTHS = range(1, 5)
MERGE_RATIOS = (1, 2, 4, 8, 16, 32, 64)
"""What a window is divided by."""
TASKS = (1, 2, 4, 8, 16)
DRIFTS = (0, 0.2, 0.4, 0.6, 0.8, 1)
RATES = (100_000, 250_000, 500_000, 1_000_000, 2_000_000, 4_000_000)
SOURCES = (
    scaling("scalejoin", "threads", [500, 1000, 1500], counts, lambda most: ["scalejoin"]),
    scaling("scalejoin", "baselines", [500], fewer, every),
    Source(
        "scalejoin",
        "skew",
        SKEW,
        "skew",
        lambda most: ["60", "10", "30"],
        ["2", "1", "4"],
    ),
    Source(
        "scalejoin",
        "gate",
        GATE,
        "gate",
        lambda most: ["5", str(most), *gate_shapes(most)],
        ["1", "2", "1x1"],
    ),
    scaling("dp-join", "workers", [500], counts, lambda most: ["linear"]),
    scaling("dp-join", "layouts", [500], counts, lambda most: layouts(max(2, most))),
    latency("symmetric", 10000, 10000, 30, 30),
    latency("rates 1 to 3", 5000, 15000, 30, 30),
    latency("windows 1 to 2", 10000, 10000, 15, 30),
    Source(
        "dp-rates",
        "output",
        OUTPUT_RATE,
        "output",
        output_rates,
        ["0.5", "0.5", "1", "matrix-1x1"],
        CONCURRENT_COLLECTOR,
    ),
    *patterns("ppoij"),
    *patterns("oij-emitters", "emitters/32", "no-gate", by_keys=("emitters/32/1.1",)),
    Source(
        "ppoij",
        "scale-oij",
        INTERVAL,
        "interval",
        beside_scale_oij,
        ["10000", "1000", "0.5", "2", "1", "100", "Scale-OIJ"],
    ),
    batches_of_emitters("uniform", "0.5"),
    batches_of_emitters("skewed", "0.35"),
    interval_latency("latency", "600000", "100000", "50", arms="KP,DP,HP", skews=["0.5", "0.35"]),
    interval_latency("scale-oij", "300000", "10000", "100", arms="HP,Scale-OIJ", skews=["0.5"]),
    index("threads", "20", counts, "roundrobin"),
    index("windows", "14,16,18,22", at_most(12), "blocking"),
    one_thread("depth", [f"PIM/8/{depth}" for depth in DEPTHS], "14,16,18,20"),
    one_thread("ratio-im", [f"IM/{ratio}/0" for ratio in MERGE_RATIOS], "14,17,20"),
    one_thread("ratio-pim", [f"PIM/{ratio}/2" for ratio in MERGE_RATIOS], "14,17,20"),
    one_thread("match-rate", ["B+", "IM", "PIM"], "20", "0.0625,0.5,2,16,128,1024"),
    one_thread("steps", ["B+", "IM", "PIM", "PIM/1/2"], "14,17,21", "steps"),
    parallel("parallel-depth", "14,16,18,20", (f"parallel-1/{d}/8" for d in DEPTHS)),
    parallel("parallel-ratio", "14,17,20", (f"parallel-{m}/2/8" for m in (1, 4, 16, 64))),
    parallel("parallel-match-rate", "20", ["parallel"], matches="0.0625,0.5,2,16"),
    parallel("task-size", "16,20", (f"parallel-1/2/{size}" for size in TASKS)),
    parallel("keys", "18", ["parallel"], keys="uniform,gaussian,gamma/3/3,gamma/1/5"),
    self_joins("windows", "14,16,18,20", ["self-bplus", "self-indexjoin", "self-parallel"]),
    self_joins("beside", "16,20", ["indexjoin", "parallel"]),
    self_joins("drift", "18", ["self-parallel"], keys=joined(f"drift/{r}" for r in DRIFTS)),
    two_bands("windows", "14,16,18,20", "2"),
    two_bands("matches", "18", "16"),
    Source(
        "pim-self",
        "shares",
        INSERT_SHARES,
        "shares",
        lambda most: ["20", "2", "10", *map(str, (*DRIFTS, 4, 10))],
        ["10", "2", "3", "1"],
    ),
    Source(
        "pim-parameters",
        "task-latency",
        MERGE,
        "merge",
        task_latency,
        ["1", "0.5", "2000", "1", "parallel-1/2/4", "10"],
        CONCURRENT_COLLECTOR,
    ),
    *(update_threads(query) for query in ("k-OS", "K-OS")),
    *(inputs(query) for query in ("k-OS", "K-OS", "k-OI", "K-OI")),
    operations(
        "durations",
        "5",
        "400000",
        "2,5,10,20,40",
        "K-OS",
        "K-OI",
        quick=["1", "20000", "2", "K-OI"],
    ),
    *(latency_by_rate(query) for query in ("K-OS", "K-OI")),
    Source(
        "t-gate-operations",
        "shortcuts",
        HIVE,
        "hive",
        lambda most: ["4000000", "1", "16", "256", "4096", "65536"],
        ["20000", "1", "256"],
    ),
    Source(
        "t-gate-operations",
        "with-shortcuts",
        AGGREGATE,
        "aggregate",
        lambda most: ["5", "400000", "1", "2,10,40", "K-OI", "WiML,WiML with shortcuts"],
        ["1", "20000", "1", "2", "K-OI", "WiML,WiML with shortcuts"],
    ),
)


class FigureProgram(Jvm):
    def prepare(self, workload: Workload, data: Path) -> None:
        if workload.kind != "figures":
            raise Unavailable("it has no program for this workload")
        self.classpath.get()


def program(source: Source) -> Program:
    def arguments(settings: Settings, workload: Workload, data: Path) -> list[str]:
        return source.quick if settings.quick else source.arguments(settings.threads)

    return Program(
        f"{source.paper}-{source.name}",
        source.main,
        "figures",
        source.family,
        arguments,
        repeats_itself=True,
        options=source.options,
    )


def arms(settings: Settings) -> list[Arm]:
    classpath = Classpath(settings)
    return [FigureProgram(settings, classpath, program(source)) for source in SOURCES]
