"""The JVM's messages and settings, read from the Scala sources as text.

Both have one home: messages are methods of `settings/Errors.scala` and few others, settings are
values of `settings/ScaleGateConf.scala`, each with its comment above it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SETTINGS = "scala/io/scalegate/spark/settings"
# Where errors for users are made, below jvm/spark/src/main; a test looks for others.
MESSAGE_FILES = (
    f"{SETTINGS}/Errors.scala",
    f"{SETTINGS}/ScaleGateConf.scala",
    f"{SETTINGS}/SparkRelease.scala",
    "shims/4.0/org/apache/spark/sql/scalegate/SparkExpressions.scala",
)
METHOD = re.compile(
    r"^  (?:private\S* )?def (\w+)(.*?)(?=^  (?:private\S* )?def |\Z)", re.M | re.S
)
MADE = re.compile(
    r"new (?:IllegalArgument|Spark|Arithmetic)Exception\(|\bbad\(|^ +s\"scalegate ", re.M
)
CONSTANT = re.compile(r'val (\w+)(?:: \w+)? = "([^"]*)"')


@dataclass(frozen=True)
class Setting:
    """A setting as users write it, its default in words, and what it is for."""

    key: str
    default: str
    text: str


@dataclass(frozen=True)
class Function:
    """A function of SQL: its arguments as `(value, time)`, its result, and each argument."""

    name: str
    signature: str
    result: str
    arguments: dict[str, str]


def messages(main: Path) -> dict[str, str]:
    """Each message by its object and method: `Errors.hintLayout`."""
    names = constants(main)
    found: dict[str, str] = {}
    for file in MESSAGE_FILES:
        source = (main / file).read_text(encoding="utf-8")
        for method in METHOD.finditer(source):
            made = MADE.search(method[2])
            typed = re.search(r"\): String =\s*\n", method[2]) if "Errors" in file else None
            start = made.start() if made else typed.end() if typed else None
            if start is not None and method[1] != "bad":
                body = method[2][start:].split("\n\n")[0]
                found[f"{Path(file).stem}.{method[1]}"] = "".join(_literals(body, names)).strip()
    return found


def settings(main: Path) -> list[Setting]:
    """All settings, in the order of the source."""
    source = (main / SETTINGS / "ScaleGateConf.scala").read_text(encoding="utf-8")
    names = constants(main)
    commented = re.compile(
        r'/\*\*((?:(?!\*/).)*)\*/\s+val (\w+) = "(spark\.scalegate\.[^"]+)"', re.S
    )
    found = []
    for comment, name, key in commented.findall(source):
        text = " ".join(line.strip(" *") for line in comment.strip().splitlines())
        text = re.sub(r"\[\[(.*?)\]\]", lambda m: _value(m[1], names) or m[1], text)
        found.append(Setting(key, _default(source, name, names), text))
    return found


def functions(main: Path) -> dict[str, Function]:
    """Each function that a session gets, with what `DESCRIBE FUNCTION EXTENDED` says of it."""
    source = (main / SETTINGS / "FunctionText.scala").read_text(encoding="utf-8")
    by_time = _arguments(source[source.index("def byTime") :])
    shared = dict(re.findall(r"private def (\w+): \(String, String\) =(.*?)\n\n", source, re.S))
    found = {}
    for made in re.findall(r"= FunctionText\((.*?)\n  \)\n", source, re.DOTALL):
        own, _, told = made.partition("Seq(")
        told = re.sub(r"^ +(\w+),?$", lambda m: shared.get(m[1], m[1]) + ",", told, flags=re.M)
        name, signature, *result = _literals(own, {})
        arguments = _arguments(told) if told else by_time
        found[name] = Function(name, signature, "".join(result), arguments)
    return found


def _arguments(source: str) -> dict[str, str]:
    pairs = re.findall(r'"([^"]+)" -> \(?((?:"[^"]*"[\s+]*)+)', source)
    return {name: "".join(_literals(text, {})) for name, text in pairs}


def setting_keys(main: Path) -> set[str]:
    """Every key that any source of the JVM names."""
    text = "".join(file.read_text(encoding="utf-8") for file in main.rglob("*.scala"))
    return set(re.findall(r'"(spark\.scalegate\.[\w.]+)"', text))


def constants(main: Path) -> dict[str, str]:
    """What interpolated texts name: other settings' keys, the algorithms, the most cells."""
    conf = (main / SETTINGS / "ScaleGateConf.scala").read_text(encoding="utf-8")
    found = {f"ScaleGateConf.{name}": value for name, value in CONSTANT.findall(conf)}
    found.update(CONSTANT.findall(conf))
    algorithms = algorithm_texts(main)
    for name in algorithms:
        found[f"Algorithm.{name.capitalize()}.name"] = name
    found["Algorithm.Auto"] = "auto"
    found["Algorithm.names"] = ", ".join(["auto", *algorithms])
    layout = main.parents[2] / "core/src/main/scala/io/scalegate/partition/MatrixLayout.scala"
    most = re.search(r"val MostWorkers(?:: Int)? = (\d+)", layout.read_text(encoding="utf-8"))
    assert most is not None
    found["MatrixLayout.MostWorkers"] = most[1]
    return found


def algorithm_texts(main: Path) -> dict[str, str]:
    """Each algorithm by the name that the hint takes, with what its comment says."""
    source = (main / SETTINGS / "Algorithm.scala").read_text(encoding="utf-8")
    pattern = r'/\*\* (.*?) \*/\s+case object \w+ extends Algorithm\("(\w+)"\)'
    own = {name: text for text, name in re.findall(pattern, source)}
    operators = (main / SETTINGS / "JoinOperator.scala").read_text(encoding="utf-8")
    pattern = r'extends JoinOperator\(\s*"([\w-]+)",\s*"([^"]+)"'
    titles = {
        name: f"{title}: an operator of the papers, batches alone."
        for name, title in re.findall(pattern, operators)
    }
    return own | titles


def _default(source: str, name: str, names: dict[str, str]) -> str:
    call = re.search(rf"conf, {name}, (?:default = )?([\w.]+)\)", source)
    text = re.search(rf'getConfString\({name}, ([\w.]+|"[^"]*")\)', source)
    found = call or text
    if found is None:
        raise ValueError(f"no default of {name} is found in ScaleGateConf.scala")
    given = found[1].strip('"')
    if given == "default":
        return "an executor's cores"
    return names.get(given, given) or "none"


def _literals(body: str, names: dict[str, str]) -> Iterator[str]:
    """The texts of a method's string literals, one after the other."""
    body = re.sub(r'\.mkString\("[^"]*"\)(?=\s*\+)', "", body)
    at = 0
    while (start := body.find('"', at)) >= 0:
        interpolated = body[start - 1 : start] == "s"
        at, text = _literal(body, start + 1, interpolated, names)
        yield text


def _literal(body: str, at: int, interpolated: bool, names: dict[str, str]) -> tuple[int, str]:
    text = ""
    while body[at] != '"':
        if body[at] == "\\":
            text, at = text + body[at + 1], at + 2
        elif interpolated and body[at] == "$" and body[at + 1] == "{":
            end = _closing(body, at + 1)
            text, at = text + _part(body[at + 2 : end], names), end + 1
        elif interpolated and body[at] == "$":
            name = re.match(r"\w+", body[at + 1 :])
            assert name is not None
            text, at = text + _part(name[0], names), at + 1 + len(name[0])
        else:
            text, at = text + body[at], at + 1
    return at + 1, text


def _closing(body: str, at: int) -> int:
    depth = 0
    for end in range(at, len(body)):
        depth += {"{": 1, "}": -1}.get(body[end], 0)
        if depth == 0:
            return end
    raise ValueError(f"a brace is not closed: {body[at:]}")


def _part(expression: str, names: dict[str, str]) -> str:
    value = _value(expression, names)
    if value is not None:
        return value
    words = re.sub(r"([A-Z])", lambda m: " " + m[1].lower(), re.findall(r"\w+", expression)[0])
    return f"‹{words}›"


def _value(expression: str, names: dict[str, str]) -> str | None:
    return names.get(re.sub(r"\.mkString\(.*\)$", "", expression.strip()))
