"""The papers' operators with their options, as `algorithm=` and `design=` take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from scalegate._errors import ScalegateError
from scalegate._widths import whole_number

_Index: TypeAlias = Literal["pim", "pim1", "im", "bplus", "chained", "roundrobin"]
_Interval: TypeAlias = Literal["kp", "dp", "hp", "scale-oij"]
_Loop: TypeAlias = Literal["scalejoin", "dp-join", "celljoin", "handshake", "llhj", "splitjoin"]
OperatorName: TypeAlias = Literal[_Loop, _Index, _Interval]
OPERATORS: tuple[OperatorName, ...] = (
    *get_args(_Loop),
    *get_args(_Index),
    *get_args(_Interval),
)
"""The papers' operators, and what they compare with."""
DesignName: TypeAlias = Literal["mq", "mqlf", "tumlsc", "tumlmc", "wiml"]
DESIGNS: tuple[DesignName, ...] = get_args(DesignName)
"""The designs of the paper on T-Gate and W-Hive, for aggregates."""
MOST_THREADS = 1024
TAKES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(OPERATORS, ("threads", "inputs")),
    "dp-join": ("threads", "layout", "adaptive", "inputs"),
    "celljoin": ("threads", "batch", "inputs"),
    "pim": ("threads", "merge_ratio", "insertion_depth", "dimensions", "task_size", "inputs"),
    "pim1": ("merge_ratio", "insertion_depth", "dimensions", "inputs"),
    "im": ("merge_ratio", "dimensions", "inputs"),
    "bplus": ("dimensions", "inputs"),
    "chained": ("length", "dimensions", "inputs"),
    "kp": ("threads", "batch", "emitters", "inputs"),
    "dp": ("threads", "batch", "emitters", "inputs"),
    "hp": ("threads", "splitting", "theta", "split", "batch", "emitters", "inputs"),
    "mq": ("inputs", "panes"),
    "mqlf": ("inputs", "panes"),
    "tumlsc": ("inputs", "panes"),
    "tumlmc": ("inputs", "threads", "shortcuts", "panes"),
    "wiml": ("inputs", "winset", "shortcuts", "panes"),
}
"""The options of each."""
CHOICES = {"split": ("every-key", "busiest"), "winset": ("michael", "lanes")}


@dataclass(frozen=True)
class Operator:
    """An operator with options, made by `operator`."""

    name: OperatorName | DesignName
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        said = ", ".join(f"{option}={value}" for option, value in self.options)
        return f"{self.name}({said})" if said else self.name


def operator(
    name: OperatorName | DesignName,
    *,
    threads: int | None = None,
    layout: Sequence[int] | None = None,
    adaptive: bool | None = None,
    merge_ratio: float | None = None,
    insertion_depth: int | None = None,
    dimensions: Literal[1, 2] | None = None,
    task_size: int | None = None,
    length: int | None = None,
    splitting: int | None = None,
    theta: float | None = None,
    split: Literal["every-key", "busiest"] | None = None,
    batch: int | None = None,
    emitters: bool | None = None,
    inputs: int | None = None,
    winset: Literal["michael", "lanes"] | None = None,
    shortcuts: bool | None = None,
    panes: bool | None = None,
) -> Operator:
    """An operator of the papers with options, for `algorithm=` or `design=`.

    What an option is left out for stays as the paper has it, or, for threads, as
    `spark.scalegate.cellThreads` says. `str(...)` of it is what the hint and the setting take:
    ``WINDOW_JOIN('pim(threads=2, merge_ratio=0.5)')``.

    Parameters
    ----------
    name
        Of the operator; `docs/choosing.md` says what each is.
    threads
        Its own threads in each task, from 1 to 1024. Not of "pim1", "im", "bplus" and "chained",
        which have one; of the designs, which the task's thread feeds, "tumlmc" alone has more.
    layout
        Of "dp-join", instead of threads: rows and columns of workers, as in (2, 3).
    adaptive
        Of "dp-join": whether the layout follows the inputs' rates and windows while they are
        joined.
    merge_ratio
        Of "pim", "pim1" and "im": the part of the window that is inserted between two merges,
        above 0 and at most 1.
    insertion_depth
        Of "pim" and "pim1": the depth at which subindexes hang, from 0 to 16.
    dimensions
        Of "pim", "pim1", "im", "bplus" and "chained": 1 for indexes over one band, or 2 over the
        first two of the condition, an equality key before the others; the paper has no such
        index. Two pay where one band alone lets thousands of a window's rows through.
    task_size
        Of "pim": tuples that a thread takes at a time.
    length
        Of "chained": the subindexes of a window, from 2 on.
    splitting
        Of "hp": the most replicas that one key may have.
    theta
        Of "hp": the highest load that is good enough, in average loads, from 1 to 100.
    split
        Of "hp": which keys are split, "every-key" as in the paper, or those of the "busiest"
        replica.
    batch
        Of "kp", "dp", "hp" and "celljoin": the most tuples that are taken before their results
        are handed on.
    emitters
        Of "kp", "dp" and "hp": whether rows come to the threads by emitters and collectors, as in
        the paper, and not by a gate that all of them read. Then "hp" plans once.
    inputs
        Sorted inputs of a design, or of each side of a join, that a task's rows are dealt to, one
        after the other, from 1 to 1024; those of a join's with equal times to the same. Of a
        design under trigger(realTime=...) the tasks that read the sources are the inputs.
    winset
        Of "wiml": whether its windows' keys are in one table that all inputs add to, "michael" as
        in the paper, or in a table of each of the "lanes" that they take in turn.
    shortcuts
        Of "wiml" and "tumlmc": whether the open windows are in a skip list, as in the paper, by
        which an input that was silent finds its window in few steps.
    panes
        Of the designs: whether windows are made of panes, which the paper does not have.

    Returns
    -------
    Operator
        For `algorithm=` of `interval_join`, `band_join` and `window_join`, or for `design=` of
        `window_aggregate`.

    Raises
    ------
    ScalegateError
        When there is no such operator, when it has not this option, or the value is none.

    Examples
    --------
    >>> pim = scalegate.operator("pim", threads=2, merge_ratio=0.5)
    >>> str(pim)
    'pim(threads=2, merge_ratio=0.5)'
    >>> near = trades.band_join(
    ...     quotes, {"price": ("bid", 0.25)}, within="5 seconds", algorithm=pim)
    >>> near.count()
    3
    """
    if name not in TAKES:
        raise ScalegateError(
            f"{name!r} is not an operator of the papers: choose one of {', '.join(TAKES)}."
        )
    given = {
        "threads": threads,
        "layout": layout,
        "adaptive": adaptive,
        "merge_ratio": merge_ratio,
        "insertion_depth": insertion_depth,
        "dimensions": dimensions,
        "task_size": task_size,
        "length": length,
        "splitting": splitting,
        "theta": theta,
        "split": split,
        "batch": batch,
        "emitters": emitters,
        "inputs": inputs,
        "winset": winset,
        "shortcuts": shortcuts,
        "panes": panes,
    }
    said = {option: value for option, value in given.items() if value is not None}
    takes = TAKES[name]
    for option, value in said.items():
        if option not in takes:
            those = ", ".join(takes)
            raise ScalegateError(
                f"{option}={value!r}: {name!r} has no such option; it takes {those}."
            )
    if threads is not None and layout is not None:
        raise ScalegateError(
            f"layout={layout!r}: each of its cells is a worker, so leave out threads={threads!r}."
        )
    return Operator(name, tuple((option, _text(option, value)) for option, value in said.items()))


def _text(option: str, value: Any) -> str:
    """The value as the hint says it."""
    if option == "layout":
        return cells(value, MOST_THREADS)
    if option in ("adaptive", "emitters", "shortcuts", "panes"):
        return _checked(option, value, isinstance(value, bool), "True or False").lower()
    if option in CHOICES:
        first, second = CHOICES[option]
        return _checked(option, value, value in (first, second), f'"{first}" or "{second}"')
    if option in ("merge_ratio", "theta"):
        least, most = (0.0, 1.0) if option == "merge_ratio" else (1.0, 100.0)
        number = value if isinstance(value, (int, float)) and value is not True else float("nan")
        fits = least <= number <= most and number > 0
        what = "above 0 and at most 1" if option == "merge_ratio" else "from 1 to 100"
        return _checked(option, value, fits, f"a number {what}")
    lowest, highest = {
        "threads": (1, MOST_THREADS),
        "inputs": (1, MOST_THREADS),
        "insertion_depth": (0, 16),
        "dimensions": (1, 2),
        "length": (2, 2**31 - 1),
    }.get(option, (1, 2**31 - 1))
    whole = whole_number(value)
    fits = whole is not None and lowest <= whole <= highest
    to = f"to {highest}" if highest < 2**31 - 1 else "on"
    return _checked(option, whole if fits else value, fits, f"a whole number from {lowest} {to}")


def _checked(option: str, value: Any, fits: bool, takes: str) -> str:
    if not fits:
        raise ScalegateError(f"{option}={value!r}: give {takes}.")
    return str(value)


def cells(layout: Sequence[int], most: int) -> str:
    """A layout as the hint says it, as "2x3"."""
    given = layout if isinstance(layout, Sequence) and not isinstance(layout, str) else ()
    whole = [n for n in map(whole_number, given) if n is not None and n > 0]
    if len(given) != 2 or len(whole) != 2:
        raise ScalegateError(
            f"layout={layout!r}: give the rows and columns of the matrix, from 1 on, as in "
            "layout=(2, 3)."
        )
    if whole[0] * whole[1] > most:
        raise ScalegateError(
            f"layout={layout!r} has {whole[0] * whole[1]} cells, each of which is a task: "
            f"{most} are the most."
        )
    return f"{whole[0]}x{whole[1]}"
