"""The messages of `ScalegateError`, read from the Python sources without running them.

A part that is known only when the error is raised stands as its name in angle quotes: the
f-string `{argument}={width!r} is negative` gives `‹argument›=‹width› is negative`. What is
constant, such as a list of join types, stands as it is.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ERROR = "ScalegateError"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Expressions over constants are evaluated with these at most.
BUILTINS = {"__builtins__": {"map": map, "repr": repr, "sorted": sorted, "max": max, "min": min}}


def messages(package: Path) -> dict[str, str]:
    """Each message by its function, `_bands.not_negative`; one of several ends in `#1`, `#2`."""
    modules = [Module(file) for file in sorted(package.glob("*.py"))]
    constants: dict[str, object] = {}
    for module in modules + modules:  # those of one module are made of another's
        module.add_constants(constants)
    found: dict[str, list[str]] = {}
    for module in modules:
        for where, node in module.errors():
            texts = Text(module, constants).of(node)
            found.setdefault(f"{module.name}.{where}", []).extend(texts)
    return {
        key + (f"#{at}" if len(texts) > 1 else ""): text
        for key, texts in found.items()
        for at, text in enumerate(texts, 1)
    }


class Module:
    """A source file: its functions, and where it makes errors."""

    def __init__(self, file: Path) -> None:
        self.name = file.stem
        self.tree = ast.parse(file.read_text(encoding="utf-8"))
        self.functions = {n.name: n for n in self.tree.body if isinstance(n, FUNCTIONS)}

    def add_constants(self, to: dict[str, object]) -> None:
        """Adds what is assigned once, in capitals, to an expression of constants."""
        for node in self.tree.body:
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(target, ast.Name) and target.id.isupper():
                try:
                    to[target.id] = evaluated(node.value, to)  # type: ignore[union-attr]
                except (NameError, TypeError, AttributeError):
                    continue

    def errors(self) -> Iterator[tuple[str, ast.expr]]:
        """The function and the message of each error that is made, in the order of the source."""
        yield from self._errors(self.tree, [])

    def _errors(self, node: ast.AST, path: list[str]) -> Iterator[tuple[str, ast.expr]]:
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, (*FUNCTIONS, ast.ClassDef))
            inside = [*path, child.name] if named else path  # type: ignore[attr-defined]
            yield from self._errors(child, inside)
            called = child.func if isinstance(child, ast.Call) else None
            if isinstance(called, ast.Name) and called.id == ERROR:
                yield ".".join(path), child.args[0]  # type: ignore[attr-defined]


class Text:
    """Turns the expression of a message into what is read of it."""

    def __init__(self, module: Module, constants: dict[str, object]) -> None:
        self.module, self.constants = module, constants

    def of(self, node: ast.expr) -> list[str]:
        """The message, or each that a function of the module may give in its place.

        None where the message is another error's, which was read where that one is made.
        """
        function = self._function(node)
        if function is not None:
            returned = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
            return [text for value in returned if value for text in self.of(value)]
        if isinstance(node, ast.Constant | ast.JoinedStr):
            return [self._whole(node)]
        return []

    def _function(self, node: ast.expr) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.module.functions.get(node.func.id)
        return None

    def _whole(self, node: ast.expr) -> str:
        if isinstance(node, ast.JoinedStr):
            return "".join(map(self._whole, node.values))
        if isinstance(node, ast.FormattedValue):
            return self._part(node.value)
        assert isinstance(node, ast.Constant)
        return str(node.value)

    def _part(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Constant):
            try:
                return str(evaluated(node, self.constants))
            except (NameError, TypeError, AttributeError):
                pass
        inner = self.of(node) if self._function(node) else []
        return inner[0] if len(inner) == 1 else f"‹{self._name(node)}›"

    def _name(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return name.replace("_", " ")
            case ast.IfExp(body=body, orelse=other):
                return f"{self._name(body)} or {self._name(other)}"
            case ast.Attribute(value=ast.Name(id=of), attr=attribute):
                return f"{of} {attribute}".replace("_", " ").replace("self ", "")
            case ast.Attribute(value=value, attr="dataType"):
                return f"{self._name(value)} type"
            case ast.Call(func=ast.Attribute(value=value, attr="simpleString")):
                return self._name(value).replace("dataType", "type")
            case ast.Call(args=[*_, last]) if not isinstance(last, ast.Constant):
                return self._name(last)
            case ast.Call(func=ast.Attribute(value=value)) | ast.Subscript(value=value):
                return self._name(value)
            case ast.Constant(value=str(text)):
                return text
            case ast.List(elts=[first, *_]) | ast.Starred(value=first):
                return self._name(first)
        return ast.unparse(node).strip("\"'")


def evaluated(node: ast.expr, names: dict[str, object]) -> object:
    """The value of an expression over constants; NameError where something is none."""
    code = compile(ast.Expression(node), "<constant>", "eval")
    return eval(code, {**BUILTINS}, names)
