"""Count the way of the suite: through how many modules a test hands it on until there is a report.

    python tools/suite_walk.py packages/rankgate/src [--list] [--entry NAME] [--also Case,Judgments]

The way is followed from `evaluate_suite` of `rankgate.flow`, in the source alone: nothing is imported or run,
so that the same script counts on any commit. What is counted:

- **Carriers.** A class carries the suite if it is `Suite`, if a field of it is annotated with a class that
  does (`Suite | None` and `Mapping[str, Scored]` too, the arguments of a `Callable` not), or if it inherits
  from one that does. A field is an annotated name in the class, or `self.name = …` in a method, of a
  parameter or of an object that is made there. `--also` names classes that count as the suite, such as
  parts of it.
- **Calls.** A call passes the suite if the type of an argument is a carrier, or that of the object whose
  method it is. Types are those of annotations: of parameters, fields, properties and what functions return,
  followed through assignments, loops, comprehensions and `with`. A property that is read of a carrier is a
  call of it; a cached one is a field, and a call only where the walk reads it first. A call of an entry of
  a table of functions in the module is a call of each of them. A part of a suite, such as its cases or its
  name, is not the suite: a function that takes only these is not on the way, unless `--also` says so. What
  a plugin, a callback or a test passes is not seen.
- **Order.** Depth first. Statements are taken in source order, arguments before the call they stand in. A
  function is walked through the first time it is called; each pair of caller and callee counts once.
- **Modules** are those with a function on the way. A class that has no code of its own for being made, as
  most dataclasses, is not entered when one is made.
- **Returns** are calls from one module into another that was visited before: the reader comes back to a
  room that they have left. Going on in the caller when a function has ended is not counted.
- **Climbs** are steps of the walk from one visited module to the next that lead into a higher layer.

`--entry run_test` starts at the command `rankgate test`, which also writes the page and the other files.
"""

from __future__ import annotations

import argparse
import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ENTRY = "evaluate_suite"
SUITE = "Suite"
LAYERS = (
    ("errors", "plugins", "model", "files", "outline"),
    ("suites", "corpora", "chunks"),
    ("truth", "runs", "systems"),
    ("scoring",),
    ("gates",),
    ("cases",),
    ("headline",),
    ("reports",),
    ("project",),
    ("flow",),
    ("web", "cli", "pytest_plugin"),
)
"""From the lowest to the highest, as import-linter holds them."""

_SAME = ("dataclasses.replace", "tuple", "list", "sorted", "zip", "enumerate", "reversed")
"""What gives back what it is given, as far as types go."""

Types = frozenset[str]
NONE: Types = frozenset()
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Class:
    """A class, as it is written."""

    name: str
    """Its whole name, with the module."""
    module: Module
    node: ast.ClassDef
    fields: dict[str, ast.expr] = field(default_factory=dict)
    methods: dict[str, Function] = field(default_factory=dict)
    bases: list[str] = field(default_factory=list)


@dataclass
class Module:
    """A file, as it is written."""

    name: str
    tree: ast.Module
    imports: dict[str, str] = field(default_factory=dict)
    """What names stand for: a module, or a module and a name in it."""
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, Class] = field(default_factory=dict)
    tables: dict[str, list[str]] = field(default_factory=dict)
    """The names in tables of the module."""


@dataclass(frozen=True)
class Step:
    """One call that passes the suite."""

    caller: str
    callee: str
    module: str
    depth: int


def decorated(node: Function, *names: str) -> bool:
    """Check whether a function has one of these decorators."""
    return any(ast.unparse(one).rpartition(".")[2] in names for one in node.decorator_list)


class Source:
    """Every module of a package."""

    def __init__(self, root: Path, suites: Sequence[str] = (SUITE,)) -> None:
        self.modules: dict[str, Module] = {}
        self._suites = suites
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            module = Module(name, ast.parse(path.read_text(encoding="utf-8")))
            self._add(module, is_package=parts[-1] == "__init__")
        self.classes = {one.name: one for module in self.modules.values() for one in module.classes.values()}
        for one in self.classes.values():
            one.bases = [self.resolve(one.module, ast.unparse(base)) for base in one.node.bases]
        self.carriers = self._carriers()

    def _add(self, module: Module, *, is_package: bool) -> None:
        self.modules[module.name] = module
        package = module.name if is_package else module.name.rpartition(".")[0]
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom):
                up = package.rsplit(".", node.level - 1)[0] if node.level else ""
                origin = ".".join(filter(None, (up, node.module)))
                for one in node.names:
                    module.imports[one.asname or one.name] = f"{origin}.{one.name}"
            elif isinstance(node, ast.Import):
                for one in node.names:
                    module.imports[one.asname or one.name.partition(".")[0]] = one.name
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                module.functions[node.name] = node
            elif isinstance(node, ast.ClassDef):
                module.classes[node.name] = self._class(module, node)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(node.value, ast.Dict | ast.Tuple | ast.List):
                    names = [one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)]
                    module.tables[ast.unparse(target)] = names

    @staticmethod
    def _class(module: Module, node: ast.ClassDef) -> Class:
        made = Class(f"{module.name}.{node.name}", module, node)
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                made.fields[part.target.id] = part.annotation
            elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                made.methods[part.name] = part
        for method in made.methods.values():
            given = {one.arg: one.annotation for one in (*method.args.args, *method.args.kwonlyargs)}
            for inner in ast.walk(method):
                if isinstance(inner, ast.Assign):
                    target, kind = inner.targets[0], None
                elif isinstance(inner, ast.AnnAssign):
                    target, kind = inner.target, inner.annotation
                else:
                    continue
                if not isinstance(target, ast.Attribute) or ast.unparse(target.value) != "self":
                    continue
                if kind is None and isinstance(inner.value, ast.Name):
                    kind = given.get(inner.value.id)
                elif kind is None and isinstance(inner.value, ast.Call):
                    # Of a class, the type; of a function nothing, as it is no class.
                    kind = inner.value.func
                if kind is not None:
                    made.fields.setdefault(target.attr, kind)
        return made

    def resolve(self, module: Module, name: str) -> str:
        """Find what a dotted name means in a module; the name itself where it is not known."""
        first, _, rest = name.partition(".")
        if first in module.classes or first in module.functions:
            return f"{module.name}.{name}"
        if first not in module.imports:
            return name
        return self._follow(".".join(filter(None, (module.imports[first], rest))))

    def _follow(self, name: str) -> str:
        """Follow a name through modules that only import it."""
        for _ in range(10):
            parent, _, last = name.rpartition(".")
            module = self.modules.get(parent)
            if module is None or last not in module.imports or last in (*module.classes, *module.functions):
                return name
            name = module.imports[last]
        return name

    def mentioned(self, module: Module, annotation: ast.expr | None) -> Types:
        """Find the classes that an annotation names, at any depth."""
        if annotation is None:
            return NONE
        if isinstance(annotation, ast.Subscript):
            if ast.unparse(annotation.value).rpartition(".")[2] == "Callable":
                return NONE
            return self.mentioned(module, annotation.value) | self.mentioned(module, annotation.slice)
        if isinstance(annotation, ast.BinOp):
            return self.mentioned(module, annotation.left) | self.mentioned(module, annotation.right)
        if isinstance(annotation, ast.Tuple):
            return NONE.union(*(self.mentioned(module, one) for one in annotation.elts))
        if isinstance(annotation, ast.Name | ast.Attribute):
            name = self.resolve(module, ast.unparse(annotation))
            return frozenset([name]) if name in self.classes else NONE
        return NONE

    def _carriers(self) -> set[str]:
        found = {name for name in self.classes if name.rpartition(".")[2] in self._suites}
        while True:
            more = {
                one.name
                for one in self.classes.values()
                if one.name not in found
                and (
                    any(self.mentioned(one.module, kind) & found for kind in one.fields.values())
                    or any(base in found for base in one.bases)
                )
            }
            if not more:
                return found
            found |= more

    def member(self, name: str, attribute: str) -> tuple[Class, ast.expr | Function] | None:
        """Find a field or a method of a class or of those it inherits from."""
        seen = [name]
        for one in seen:
            made = self.classes.get(one)
            if made is None:
                continue
            if attribute in made.methods:
                return made, made.methods[attribute]
            if attribute in made.fields:
                return made, made.fields[attribute]
            seen += [base for base in made.bases if base not in seen]
        return None

    def function(self, name: str) -> tuple[Module, Class | None, Function] | None:
        """Find a function or a method by its whole name; of a class, what runs when one is made."""
        parent, _, last = name.rpartition(".")
        if parent in self.modules and last in self.modules[parent].functions:
            return self.modules[parent], None, self.modules[parent].functions[last]
        if name in self.classes:
            made = self.classes[name]
            for special in ("__init__", "__post_init__"):
                if special in made.methods:
                    return made.module, made, made.methods[special]
            return None
        found = self.member(parent, last) if parent in self.classes else None
        if found and isinstance(found[1], ast.FunctionDef | ast.AsyncFunctionDef):
            return found[0].module, found[0], found[1]
        return None


class Body:
    """One function, gone through in the order in which it runs."""

    def __init__(self, source: Source, module: Module, owner: Class | None, node: Function) -> None:
        self.source, self.module, self.owner, self.node = source, module, owner, node
        self.types: dict[str, Types] = {}
        self.calls: list[str] = []
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        for one in every:
            self.types[one.arg] = source.mentioned(module, one.annotation)
        if owner is not None and arguments.args and not decorated(node, "staticmethod"):
            self.types[arguments.args[0].arg] = frozenset([owner.name])
        for statement in node.body:
            self._statement(statement)

    def _carries(self, types: Types) -> bool:
        return bool(types & self.source.carriers)

    def _statement(self, node: ast.stmt) -> None:  # noqa: C901, PLR0912 - a branch a kind of statement
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # A function inside another is walked where it is written; it sees what stands around it.
            kept = dict(self.types)
            for argument in (*node.args.args, *node.args.kwonlyargs):
                self.types[argument.arg] = self.source.mentioned(self.module, argument.annotation)
            self._block(node.body)
            self.types = kept
        elif isinstance(node, ast.Assign):
            kind = self._value(node.value)
            for target in node.targets:
                self._bind(target, kind, node.value)
        elif isinstance(node, ast.AnnAssign):
            kind = self._value(node.value) if node.value else NONE
            self._bind(node.target, self.source.mentioned(self.module, node.annotation) or kind, None)
        elif isinstance(node, ast.For):
            self._bind(node.target, self._value(node.iter), None)
            self._block(node.body, node.orelse)
        elif isinstance(node, ast.With):
            for item in node.items:
                kind = self._value(item.context_expr)
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, kind, None)
            self._block(node.body)
        else:
            for one in ast.iter_child_nodes(node):
                if isinstance(one, ast.expr):
                    self._value(one)
                elif isinstance(one, ast.stmt):
                    self._statement(one)
                elif isinstance(one, ast.ExceptHandler | ast.match_case):
                    self._block(one.body)

    def _block(self, *blocks: Iterable[ast.stmt]) -> None:
        for block in blocks:
            for one in block:
                self._statement(one)

    def _bind(self, target: ast.expr, kind: Types, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self.types[target.id] = kind
        elif isinstance(target, ast.Tuple | ast.List):
            parts = self._parts(value, len(target.elts))
            for number, one in enumerate(target.elts):
                self._bind(one, kind if parts is None else parts[number], None)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, kind, None)

    def _parts(self, value: ast.expr | None, count: int) -> list[Types] | None:
        """Find the types of what is unpacked, one by one."""
        if isinstance(value, ast.Tuple) and len(value.elts) == count:
            return [self._peek(one) for one in value.elts]
        if isinstance(value, ast.Call):
            for found in filter(None, map(self.source.function, self._callees(value))):
                kind = found[2].returns
                if not isinstance(kind, ast.Subscript) or not isinstance(kind.slice, ast.Tuple):
                    continue
                if ast.unparse(kind.value) == "tuple" and len(kind.slice.elts) == count:
                    return [self.source.mentioned(found[0], one) for one in kind.slice.elts]
        return None

    def _peek(self, node: ast.expr) -> Types:
        """Find the type of an expression, without counting its calls."""
        kept, self.calls = self.calls, []
        try:
            return self._value(node)
        finally:
            self.calls = kept

    def _value(self, node: ast.expr) -> Types:  # noqa: C901, PLR0911 - a branch a kind of expression
        """Go through an expression, and find its type."""
        if isinstance(node, ast.Name):
            return self.types.get(node.id, NONE)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Lambda):
            kept = dict(self.types)
            self._value(node.body)
            self.types = kept
            return NONE
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            return self._comprehension(node)
        if isinstance(node, ast.NamedExpr):
            kind = self._value(node.value)
            self._bind(node.target, kind, node.value)
            return kind
        if isinstance(node, ast.IfExp):
            self._value(node.test)
            return self._value(node.body) | self._value(node.orelse)
        if isinstance(node, ast.Compare | ast.JoinedStr):
            for one in ast.iter_child_nodes(node):
                if isinstance(one, ast.expr):
                    self._value(one)
            return NONE
        found = NONE
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.expr):
                found |= self._value(one)
        return NONE if isinstance(node, ast.FormattedValue) else found

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Types:
        kept = dict(self.types)
        for one in node.generators:
            self._bind(one.target, self._value(one.iter), None)
            for test in one.ifs:
                self._value(test)
        if isinstance(node, ast.DictComp):
            kind = self._value(node.key) | self._value(node.value)
        else:
            kind = self._value(node.elt)
        self.types = kept
        return kind

    def _attribute(self, node: ast.Attribute) -> Types:
        kinds, found = self._value(node.value), NONE
        for kind in sorted(kinds):
            member = self.source.member(kind, node.attr)
            if member is None:
                continue
            owner, part = member
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                if decorated(part, "property", "cached_property"):
                    if kind in self.source.carriers:
                        self.calls.append(f"{owner.name}.{node.attr}")
                    found |= self.source.mentioned(owner.module, part.returns)
            else:
                found |= self.source.mentioned(owner.module, part)
        return found

    def _callees(self, node: ast.Call) -> list[str]:
        """Find what a call may mean, by whole names."""
        function = node.func
        if isinstance(function, ast.Subscript) and isinstance(function.value, ast.Name):
            names = self.module.tables.get(function.value.id, ())
            return [self.source.resolve(self.module, name) for name in names]
        if isinstance(function, ast.Attribute):
            kinds = self._peek(function.value)
            members = [self.source.member(kind, function.attr) for kind in sorted(kinds)]
            found = [f"{one[0].name}.{function.attr}" for one in members if one is not None]
            if found:
                return found
        if isinstance(function, ast.Name) and function.id == "cls" and self.owner is not None:
            return [self.owner.name]
        if isinstance(function, ast.Name | ast.Attribute):
            return [self.source.resolve(self.module, ast.unparse(function))]
        return []

    def _call(self, node: ast.Call) -> Types:
        names = self._callees(node)
        receiver = NONE
        if isinstance(node.func, ast.Attribute):
            receiver = self._value(node.func.value)
        given = [self._value(one) for one in node.args]
        given += [self._value(one.value) for one in node.keywords]
        if (
            names == ["functools.partial"]
            and node.args
            and isinstance(node.args[0], ast.Name | ast.Attribute)
        ):
            names = [self.source.resolve(self.module, ast.unparse(node.args[0]))]
        if self._carries(receiver.union(*given) if given else receiver):
            self.calls += [name for name in names if self.source.function(name)]
        if names and names[0] in _SAME:
            return NONE.union(*given)
        found = NONE
        for name in names:
            if name in self.source.classes:
                found |= {name}
            elif function := self.source.function(name):
                found |= self.source.mentioned(function[0], function[2].returns)
                if (
                    ast.unparse(function[2].returns or ast.Constant(None)) in ("Self", "'Self'")
                    and function[1]
                ):
                    found |= {function[1].name}
        return found


def walk(source: Source, entry: str) -> Iterator[Step]:
    """Follow the suite from one function, depth first."""
    seen: set[str] = set()
    edges: set[tuple[str, str]] = set()

    def follow(name: str, depth: int) -> Iterator[Step]:
        found = source.function(name)
        if found is None:
            return
        seen.add(name)
        for callee in Body(source, *found).calls:
            target = source.function(callee)
            if target is None or (name, callee) in edges:
                continue
            if callee in seen and decorated(target[2], "cached_property"):
                continue
            edges.add((name, callee))
            yield Step(name, callee, target[0].name, depth)
            if callee not in seen:
                yield from follow(callee, depth + 1)

    return follow(entry, 1)


def layer(module: str) -> int:
    """Find the layer of a module, counted from below."""
    package = module.split(".")[1] if "." in module else ""
    return next((at for at, names in enumerate(LAYERS) if package in names), len(LAYERS))


def main() -> None:
    """Print the three counts, and with --list every step."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("source", type=Path, help="the folder that has the package rankgate")
    parser.add_argument("--list", action="store_true", help="print every step")
    parser.add_argument("--entry", default=ENTRY, help=f"the function to start from; by default {ENTRY}")
    parser.add_argument("--also", default="", help="classes that count as the suite, separated by commas")
    options = parser.parse_args()
    source = Source(options.source, [SUITE, *filter(None, options.also.split(","))])
    entries = [
        f"{one.name}.{options.entry}" for one in source.modules.values() if options.entry in one.functions
    ]
    if len(entries) != 1:
        parser.error(f"{len(entries)} functions are called {options.entry}")
    start = entries[0].rpartition(".")[0]
    visited, last, returns, climbs = {start: None}, start, 0, 0
    for step in walk(source, entries[0]):
        caller = source.function(step.caller)
        across = caller is not None and caller[0].name != step.module
        back = across and step.module in visited
        up = step.module != last and layer(step.module) > layer(last)
        returns, climbs, last = returns + back, climbs + up, step.module
        visited.setdefault(step.module)
        if options.list:
            marks = f"{'return' if back else '':7}{'climb' if up else '':6}"
            print(f"{marks}{'  ' * step.depth}{step.callee.removeprefix('rankgate.')}")
    print(f"{len(visited)} modules, {returns} returns, {climbs} climbs")
    if options.list:
        print("\n".join(f"  {name.removeprefix('rankgate.')}" for name in visited))
        print("carriers: " + ", ".join(sorted(name.removeprefix("rankgate.") for name in source.carriers)))


if __name__ == "__main__":
    main()
