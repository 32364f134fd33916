"""The checksum that every engine computes over its result rows, and the SQL that says so.

Each result row joins one row of R and one of S. With integer weights

    left  = Σ factor · number(R column)      right = Σ factor · number(S column)
    row   = (left · right) mod (2³¹ − 1)      checksum = Σ row, in 64 bits

every column takes part, so no engine can leave one unread, and the product ties the two sides
together, so rows that are paired wrongly change it. The sum does not depend on row order.
`number` is the integer itself; ⌊value · 1024⌋ in double arithmetic for floating point, which is
exact; the last nine digits of a digit string; and 0 or 1 for a boolean. No term is negative and
none leaves 64 bits on any of the sets, so that every engine's `mod` and overflow rules agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from joinbench.datasets import Column, Table, Workload

MODULUS = 2**31 - 1
DIGITS = 9
PADDED = 20
SCALE = 1024


@dataclass(frozen=True)
class Term:
    column: str
    kind: str
    factor: int


@dataclass(frozen=True)
class Rows:
    """What is compared between engines: how many rows, and the checksum over them."""

    count: int
    checksum: int


def terms(workload: Workload) -> tuple[list[Term], list[Term]]:
    """The weights of R's columns and of S's."""
    if workload.kind in ("keyed", "asof"):
        left = [Term("ts", "integer", 31), Term("k", "integer", 7), Term("v", "floating", 5)]
        return left, [Term("ts", "integer", 17), Term("v", "floating", 11)]
    if workload.kind == "interval":
        left = [Term("ts", "integer", 31), Term("e", "integer", 7), Term("v", "floating", 5)]
        right = [Term("ts", "integer", 17), Term("e", "integer", 3), Term("v", "floating", 11)]
        return left, right
    left = [Term("ts", "integer", 31), Term("x", "integer", 7), Term("y", "floating", 5)]
    if workload.kind in ("growth", "self"):
        right = [Term("ts", "integer", 17), Term("a", "integer", 3), Term("b", "floating", 11)]
        return left, right
    left.append(Term("z", "digits", 1))
    right = [Term("ts", "integer", 17), Term("a", "integer", 3), Term("b", "floating", 11)]
    return left, [*right, Term("c", "floating", 13), Term("d", "boolean", 1)]


WINDOW_TERMS = [
    Term("end_ms", "integer", 31),
    Term("k", "integer", 7),
    Term("a", "integer", 5),
    Term("b", "floating", 11),
]
"""Of the rows of windows, which are not joined of two: their checksum has one weight."""


def sql_number(column: str, kind: str) -> str:
    if kind == "floating":
        return f"CAST(FLOOR(CAST({column} AS DOUBLE) * {SCALE}) AS BIGINT)"
    if kind == "digits":
        return f"CAST(RIGHT({column}, {DIGITS}) AS BIGINT)"
    return f"CAST({column} AS BIGINT)"


def sql_weight(side: str, side_terms: list[Term]) -> str:
    parts = (f"{sql_number(f'{side}.{t.column}', t.kind)} * {t.factor}" for t in side_terms)
    return "(" + " + ".join(parts) + " + 1)"


def sql_rows(workload: Workload) -> str:
    """Count and checksum as a select list over tables named R and S, in Spark and in DuckDB."""
    left, right = terms(workload)
    row = f"{sql_weight('R', left)} * {sql_weight('S', right)} % {MODULUS}"
    return f"COUNT(*) AS n, COALESCE(CAST(SUM({row}) AS BIGINT), 0) AS checksum"


def sql_windows() -> str:
    """The same for windows, as a select list over rows ⟨end_ms, k, a, b⟩ named W."""
    row = f"{sql_weight('W', WINDOW_TERMS)} % {MODULUS}"
    return f"COUNT(*) AS n, COALESCE(CAST(SUM({row}) AS BIGINT), 0) AS checksum"


def numbers(column: Column, kind: str) -> npt.NDArray[np.int64]:
    if kind == "floating":
        return np.floor(column.astype(np.float64) * SCALE).astype(np.int64)
    if kind == "digits":
        letters = column.astype(f"U{PADDED}").view("U1").reshape(-1, PADDED)
        return (
            np.ascontiguousarray(letters[:, -DIGITS:]).view(f"U{DIGITS}").ravel().astype(np.int64)
        )
    return column.astype(np.int64)


def weights(table: Table, side_terms: list[Term]) -> npt.NDArray[np.int64]:
    total = np.ones(len(next(iter(table.values()))), dtype=np.int64)
    for term in side_terms:
        total += numbers(table[term.column], term.kind) * term.factor
    return total


def of_rows(workload: Workload, r: Table, s: Table) -> Rows:
    """The checksum of result rows given as columns: row i of `r` is joined with row i of `s`."""
    left, right = terms(workload)
    row = weights(r, left) * weights(s, right) % MODULUS
    return Rows(len(row), int(row.sum()))


def of_windows(w: Table) -> Rows:
    """The checksum of the rows of windows, given as columns end_ms, k, a and b."""
    row = weights(w, WINDOW_TERMS) % MODULUS
    return Rows(len(row), int(row.sum()))
