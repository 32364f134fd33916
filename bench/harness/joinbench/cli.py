"""The command line: which sets and arms run, and what is written from the results.

Exits 1 when any arm failed or gave other rows than the reference.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from joinbench import BENCH, HERE, ROOT, arms, figures, machine, picture, report, summary
from joinbench.arm import Arm, Settings
from joinbench.datasets import SETS, ensure
from joinbench.rounds import Outcome, Plan, Session, measurements

SCHEMA = 1
DEFAULT_SETS = "A0,A,B,gate"
LATENCY_SETS = "K"
LIVE_SETS = "live"
FIGURE_SETS = "figures"
FIGURES = "figures"
"""The page of the papers' figures, and the folder of their pictures."""


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="run.py", description=__doc__)
    p.add_argument("--sets", help=f"of {','.join(SETS)}, or all; default {DEFAULT_SETS}")
    p.add_argument("--arms", default="", help="arms by name or beginning of it; default: all")
    p.add_argument("--runs", type=int, default=5, help="timed rounds; default %(default)s")
    p.add_argument("--warmups", type=int, default=2, help="untimed runs; default %(default)s")
    p.add_argument(
        "--warm-seconds",
        type=float,
        default=10,
        help="how long each arm warms up at the least; default %(default)s",
    )
    p.add_argument("--threads", type=int, default=2, help="of every engine; default %(default)s")
    p.add_argument("--memory", default="3g", help="heap of each JVM; default %(default)s")
    p.add_argument("--slow", action="store_true", help="also arms that take minutes, once each")
    p.add_argument(
        "--quick", action="store_true", help="A0 and one round, into .build/bench-quick"
    )
    p.add_argument(
        "--streams", action="store_true", help="join the sets as streams, on Structured Streaming"
    )
    p.add_argument("--batches", type=int, help="in how many batches streams are read; default 10")
    p.add_argument(
        "--latency",
        action="store_true",
        help=f"how long results wait when files keep appearing; of set {LATENCY_SETS} by default",
    )
    p.add_argument(
        "--live",
        action="store_true",
        help="how long results take when streams come at a steady rate, in Real-Time Mode",
    )
    p.add_argument(
        "--figures",
        action="store_true",
        help="the points of the papers' figures, over up to --threads threads",
    )
    p.add_argument("--name", default="joins", help="of the result file; default %(default)s")
    p.add_argument("--out", type=Path, help="folder of the result file and of all made from it")
    p.add_argument("--render", action="store_true", help="only rewrite the pages and the picture")
    p.add_argument("--list", action="store_true", help="list arms and sets")
    return p


def every_arm(args: argparse.Namespace, settings: Settings) -> list[Arm]:
    if args.latency:
        return arms.latencies(settings)
    if args.live:
        return arms.lives(settings)
    if args.figures:
        return arms.figures_of_papers(settings)
    return arms.streams(settings) if args.streams else arms.every(settings)


def chosen(names: str, every: Sequence[Arm]) -> list[Arm]:
    """The arms whose names begin with one of the given; a name that fits none is an error."""
    wanted = [name for name in names.split(",") if name]
    for name in wanted:
        if not any(arm.name.startswith(name) for arm in every):
            known = ", ".join(dict.fromkeys(arm.name for arm in every))
            raise SystemExit(f"no arm is called {name}; there are {known}")
    fits = (arm for arm in every if any(arm.name.startswith(name) for name in wanted))
    return list(fits) if wanted else list(every)


def set_names(text: str) -> list[str]:
    names = list(SETS) if text == "all" else [name for name in text.split(",") if name]
    for name in names:
        if name not in SETS:
            raise SystemExit(f"no data set is called {name}; there are {', '.join(SETS)}")
    return names


def command_line(arguments: Sequence[str]) -> str:
    """As it was given, with no path of this machine."""
    return " ".join(
        [f"{HERE}/harness/run.py", *(Path(a).name if a[:1] == "/" else a for a in arguments)]
    )


def race(
    args: argparse.Namespace, every: Sequence[Arm], settings: Settings, bar: Progress
) -> dict[str, Any]:
    names = set_names(args.sets)
    plan = Plan(
        args.runs, args.warmups, args.slow, arms.REFERENCES, warm_seconds=args.warm_seconds
    )
    task = bar.add_task("benchmark", total=len(names) * (args.runs + 1))
    total, measured = Outcome(), []
    for name in names:
        data = ensure(SETS[name], settings.work / "bench-data", settings.say)
        session = Session(SETS[name], data, settings.say)
        outcome = session.run(every, plan, lambda: bar.advance(task))
        measured += measurements(SETS[name], outcome.samples)
        total.left_out += outcome.left_out
        total.failed += outcome.failed
    return {
        "sets": {name: vars(SETS[name]) for name in names},
        "measurements": measured,
        "left_out": total.left_out,
        "failed": total.failed,
    }


def versions(every: Sequence[Arm]) -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for arm in every:
        found |= arm.versions()
    return found


def benchmark(args: argparse.Namespace, arguments: Sequence[str], out: Path) -> int:
    console = Console()
    with Progress(console=console) as bar:
        settings = Settings(
            ROOT, ROOT / ".build", args.threads, args.memory, args.quick, bar.log, args.batches
        )
        every = chosen(args.arms, every_arm(args, settings))
        head = {
            "schema": SCHEMA,
            "started": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "machine": machine.describe(),
            **machine.commit(ROOT),
            "command": command_line(arguments),
            "settings": {
                "threads": args.threads,
                "memory": args.memory,
                "runs": args.runs,
                "batches": args.batches,
            },
        }
        try:
            body = race(args, every, settings, bar)
            result = head | {"versions": versions(every)} | body
        finally:
            for arm in every:
                arm.close()
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1).replace(str(ROOT), ".")
    (out / f"{args.name}.json").write_text(text + "\n")
    return 1 if body["failed"] else 0


def documents(folder: Path) -> tuple[Path, Path]:
    """The page and the picture in a folder of documents."""
    return folder / "performance.md", folder / "img" / "performance.png"


def pages(results: dict[str, Any], page: Path, image: Path) -> dict[Path, str]:
    """Every page that is made from the results, by its path."""
    folder = page.parent / summary.PAGES
    each = {folder / f"{name}.md": report.page(name, r) for name, r in results.items()}
    overview = summary.page(results, image.relative_to(page.parent))
    drawn = figures.page(results, (image.parent / FIGURES).relative_to(page.parent))
    return {page: overview, page.with_name(f"{FIGURES}.md"): drawn, **each}


def render(out: Path, page: Path, image: Path) -> None:
    """Rewrites the page, one for each result file of the folder, and the picture."""
    results = report.load(out)
    if not results:
        raise SystemExit("there are no result files to render")
    image.parent.mkdir(parents=True, exist_ok=True)
    picture.draw(results, image)
    picture.lines(results, image.with_name("latency.png"))
    figures.draw_all(results, image.parent / FIGURES)
    folder = page.parent / summary.PAGES
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    for path, text in pages(results, page, image).items():
        path.write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    import sys

    given = list(sys.argv[1:] if arguments is None else arguments)
    args = parser().parse_args(given)
    if args.list:
        settings = Settings(ROOT, ROOT / ".build", args.threads, args.memory, args.quick, print)
        print("sets:", *SETS)
        print("arms:", *dict.fromkeys(arm.name for arm in every_arm(args, settings)))
        return 0
    modes = {LATENCY_SETS: args.latency, LIVE_SETS: args.live, FIGURE_SETS: args.figures}
    usual = "A0,gate" if args.quick else DEFAULT_SETS
    args.sets = args.sets or next((s for s, asked in modes.items() if asked), usual)
    if args.quick:
        args.runs = args.warmups = 1
        args.warm_seconds = 0
        args.out = args.out or ROOT / ".build" / "bench-quick"
    out = args.out or BENCH / "results"
    status = 0 if args.render else benchmark(args, given, out)
    docs = ROOT / "docs" if args.out is None else out
    render(out, *documents(docs))
    return status
