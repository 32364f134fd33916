"""The columns of a join that must be equal: of one name on both sides, or of two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from scalegate import _schema as schema
from scalegate._errors import ScalegateError
from scalegate._schema import Frame

# A checkpoint of two streams names its columns, so theirs never change.
STREAMED = "__scalegate_{}_{}"
Names: TypeAlias = str | Sequence[str] | None


@dataclass(frozen=True)
class Keys:
    """Pairs of a left and a right column, which may differ in case where both are one.

    `hidden` are the right columns that the output has not, and what they are called until then;
    `given` is how the caller named the keys, for messages.
    """

    pairs: tuple[tuple[str, str], ...] = ()
    hidden: Mapping[str, str] = field(default_factory=dict)
    given: str = ""

    def conditions(self, renamed: dict[str, str]) -> list[Column]:
        """That they are equal, under the right columns' new names."""
        return [
            F.col(schema.quote(left)) == F.col(schema.quote(renamed[right]))
            for left, right in self.pairs
        ]

    def refuse_matrix(self, way: tuple[str, ...]) -> None:
        """Rows with equal columns meet by these."""
        if self.pairs and way[:1] == ("matrix",):
            raise ScalegateError(
                f"{self.given}: rows with equal columns are brought together by these, and a "
                f"matrix compares all with all. Leave out {self.given.partition('=')[0]}=, or "
                'algorithm="matrix" and layout=.'
            )

    def once(self, joined: DataFrame, columns: Sequence[str], how: str) -> DataFrame:
        """The joined rows without hidden columns, each key with the value that one side has."""
        if not self.hidden:
            return joined
        hidden = {left: self.hidden[right] for left, right in self.pairs}
        if how in ("right", "full"):
            given = {name: _either(name, hidden[name]) for name in columns if name in hidden}
            joined = joined.withColumns(given)
        return joined.drop(*self.hidden.values())


def checked_keys(on: Names, left_on: Names, right_on: Names, sides: tuple[Frame, Frame]) -> Keys:
    """The keys that the arguments name, each pair of one type."""
    if left_on is None and right_on is None:
        same = _names(on, "on")
        pairs = _checked(same, same, sides, ("on", "on"))
        once = dict.fromkeys(right for _, right in pairs)
        hidden = {
            name: hidden_name(name, "right", STREAMED.format("right_key", i), sides)
            for i, name in enumerate(once)
        }
        return Keys(pairs, hidden, f"on={on!r}")
    if on is not None:
        raise ScalegateError(
            f"on={on!r} is given beside left_on or right_on: write on= for columns that both "
            "sides have, or the two others for columns of two names."
        )
    lefts, rights = _names(left_on, "left_on"), _names(right_on, "right_on")
    if len(lefts) != len(rights):
        raise ScalegateError(
            f"left_on={left_on!r}, right_on={right_on!r}: give as many columns of the one side "
            "as of the other."
        )
    pairs = _checked(lefts, rights, sides, ("left_on", "right_on"))
    return Keys(pairs, {}, f"left_on={left_on!r}")


def checked_pairs(
    pairs: Sequence[tuple[str, str]], argument: str, sides: tuple[Frame, Frame]
) -> tuple[tuple[str, str], ...]:
    """The pairs of a left and a right column, each pair of one type, as the sides spell them."""
    lefts, rights = [left for left, _ in pairs], [right for _, right in pairs]
    return _checked(lefts, rights, sides, (argument, argument))


def hidden_name(name: str, side: str, streamed: str, sides: Sequence[Frame]) -> str:
    """What a column is called that nobody but EXPLAIN shows, and no other of any side is."""
    if sides[0].df.isStreaming:
        return streamed
    taken = {frame.fold(column) for frame in sides for column in frame.df.columns}
    hidden = f"{name} of {side}"
    while sides[0].fold(hidden) in taken:
        hidden += "'"
    return hidden


def _checked(
    lefts: Sequence[str],
    rights: Sequence[str],
    sides: tuple[Frame, Frame],
    arguments: tuple[str, str],
) -> tuple[tuple[str, str], ...]:
    pairs = [
        (sides[0].field(left, arguments[0]), sides[1].field(right, arguments[1]))
        for left, right in zip(lefts, rights)
    ]
    for left, right in pairs:
        schema.check_key(left, right)
    return tuple((left.name, right.name) for left, right in pairs)


def _names(names: Names, argument: str) -> list[str]:
    if names is not None and not isinstance(names, str | Sequence):
        where = {"on": "both sides", "left_on": "the left side", "right_on": "the right side"}
        raise ScalegateError(
            f"{argument}={names!r}: give a column name of {where[argument]}, or a list of them."
        )
    return [names] if isinstance(names, str) else list(names or ())


def _either(left: str, right: str) -> Column:
    """A key's value, which one of the sides may lack."""
    return F.coalesce(F.col(schema.quote(left)), F.col(schema.quote(right)))
