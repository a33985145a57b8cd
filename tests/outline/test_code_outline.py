"""Code in other languages than Python: kinds, names and lines, read from samples written for it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError
from rankgate.outline import KINDS, outline
from rankgate.outline import tree as tree_module
from rankgate.outline.languages import SUFFIXES, languages_of

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = Path(__file__).parent / "samples"

pytest.importorskip("tree_sitter", reason="the extra `code` is not installed")


def symbols(path: str, text: str) -> list[tuple[str, str, int, int]]:
    nodes = outline(path, text)
    assert nodes is not None
    assert {node.kind for node in nodes} <= set(KINDS)
    return [(node.kind, node.qualified, node.start, node.end) for node in nodes[1:]]


def names(path: str, text: str) -> list[str]:
    return [f"{kind} {name}" for kind, name, _, _ in symbols(path, text)]


@pytest.mark.parametrize("sample", sorted(SAMPLES.iterdir()), ids=lambda sample: sample.name)
def test_every_language_has_the_outline_that_was_read_by_eye(
    sample: Path, golden: Callable[[str, str], None]
) -> None:
    nodes = outline(sample.name, sample.read_text(encoding="utf-8"))
    assert nodes is not None
    rows = [
        f"{position:3} {'-' if node.parent is None else node.parent:>3}"
        f" {node.start:4}-{node.end:<4}{node.kind:10} {node.qualified or node.name}"
        for position, node in enumerate(nodes)
    ]
    golden(f"outline/{sample.name}", "\n".join(rows) + "\n")


def test_every_suffix_has_a_sample_of_its_language() -> None:
    known = {language.name for suffix in SUFFIXES for language in languages_of(suffix)}
    sampled = {languages_of(sample.suffix)[0].name for sample in SAMPLES.iterdir()}
    assert sampled == known


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.mts", "export const f = () => 1\n", ["function f"]),
        ("a.cts", "function f() {}\n", ["function f"]),
        ("a.jsx", "const A = () => <b/>\n", ["function A"]),
        ("a.mjs", "export function f() {}\n", ["function f"]),
        ("a.cjs", "exports.f = () => 1\n", ["function f"]),
        ("a.cc", "class A { void f() {} };\n", ["class A", "method A.f"]),
        ("a.cxx", "namespace n { int f() { return 1; } }\n", ["module n", "function n.f"]),
        ("a.hpp", "struct A {};\n", ["struct A"]),
        ("a.hh", "struct A {};\n", ["struct A"]),
        ("a.hxx", "struct A {};\n", ["struct A"]),
        ("A.JAVA", "class A {}\n", ["class A"]),
    ],
)
def test_the_suffix_tells_the_language(path: str, text: str, expected: list[str]) -> None:
    assert names(path, text) == expected


def test_a_header_is_c_unless_it_reads_better_as_cpp() -> None:
    # In C, class is a name like any other.
    assert names("a.h", "struct class { int x; };\nint f(void) { return 1; }\n") == [
        "struct class",
        "function f",
    ]
    assert names("a.h", "namespace n {\nclass A {\npublic:\n  void f() {}\n};\n}\n") == [
        "module n",
        "class n.A",
        "method n.A.f",
    ]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.rs", "impl<T> From<T> for &'static mut Key<T> { fn from() {} }", ["method Key.from"]),
        ("a.rs", "impl a::b::Key { fn f() {} }", ["method Key.f"]),
        ("a.rs", "impl Tr for [u8] { fn f() {} }", ["method [u8].f"]),
        ("a.rs", "fn f() { mod m { fn g() {} } }", ["function f", "module f.m", "function f.m.g"]),
        ("a.rs", "mod elsewhere;", []),
        ("a.go", "package a\nfunc (s *(Store)) F() {}", ["method Store.F"]),
        ("a.go", "package a\nfunc (*Map[K, V]) F() {}", ["method Map.F"]),
        ("a.cpp", "int a::b::C<int>::f() { return 1; }", ["method a.b.C.f"]),
        ("a.cpp", "template<> template<class T> void A<int>::f(T t) {}", ["method A.f"]),
        ("a.cpp", "int *&A::f() { return p; }", ["method A.f"]),
        ("a.cpp", "class A; struct B *b; enum E : int; void f(); extern int x;", []),
        ("a.c", "typedef struct a { int x; } b, *c;", ["type b", "type c", "struct a"]),
        ("a.cs", "namespace A.B.C { class D {} }", ["module A.B.C", "class A.B.C.D"]),
        ("a.rb", "class A::B < C::D\n  def self.x; end\nend", ["class A.B", "method A.B.x"]),
        ("a.rb", "class << obj\n  def x; end\nend", ["function x"]),
        ("a.ts", "const f = useCallback(() => 1)", []),
        ("a.ts", "function f() { const g = () => 1 }", ["function f"]),
        ("a.ts", "declare namespace N { const x: number }", ["module N"]),
        ("a.ts", "export = function named() {}", []),
        ("a.js", "module.exports = function named() {}", []),
        ("a.js", "App.Views.List.prototype.draw = function () {}", ["method App.Views.List.draw"]),
        ("a.js", "export default { open() {}, close: () => 1 }", ["function open", "function close"]),
        ("a.js", "const A = class { f() {} }", ["class A", "method A.f"]),
        ("a.java", "class Größe { void ändern() {} }", ["class Größe", "method Größe.ändern"]),
    ],
)
def test_names_are_spelt_as_documented(path: str, text: str, expected: list[str]) -> None:
    assert sorted(names(path, text)) == sorted(expected)


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.rs", "/// doc\n#[a]\n// remark\n#[b]\nfn f() {}\n", (2, 5)),
        ("a.rs", "#![inner]\n\nfn f() {}\n", (3, 3)),
        ("a.rs", "#[a]\nstruct S;\nfn f() {}\n", (3, 3)),
        ("a.rs", "#[cfg(any(a, /* b */ c))]\nfn f() {}\n", (1, 2)),
        ("a.java", "/** doc */\n@A\n@B(1)\nclass f {\n}\n", (2, 5)),
        ("a.cs", "// remark\n[A]\n[B]\nclass f\n{\n}\n", (2, 6)),
        ("a.ts", "// remark\n@a\n@b()\nexport class f {\n}\n", (2, 5)),
        ("a.cpp", "// remark\ntemplate <class T>\nvoid f()\n{\n}\n", (2, 5)),
        ("a.c", "/* ä */ int\nf(void)\n{\n}\n/* after */\n", (1, 4)),
        ("a.c", "#define f(a) \\\n  (a)\nint x;\n", (1, 2)),
        ("a.js", "/** doc */\nexport const f =\n  () => {\n  };\n", (2, 4)),
        ("a.rb", "# doc\ndef f\n  1\nend\n", (2, 4)),
        ("a.go", "package a\n\n// f does.\nfunc f() {\n}\n", (4, 5)),
    ],
)
def test_lines_are_those_of_the_definition_with_what_belongs_to_it(
    path: str, text: str, lines: tuple[int, int]
) -> None:
    found = [(start, end) for _, name, start, end in symbols(path, text) if name == "f"]
    assert found == [lines]


def test_comments_are_told_apart_beside_an_error_too() -> None:
    text = "#[a]\n// remark\nfn f() {}\n\nfn g( {\n\nstruct"
    assert ("function", "f", 1, 3) in symbols("a.rs", text)


def test_decorators_of_a_typescript_method_belong_to_it() -> None:
    text = "class A {\n  x = 1;\n\n  @a\n  // remark\n  @b()\n  f() {}\n}\n"
    assert symbols("a.ts", text)[1] == ("method", "A.f", 4, 7)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.java", "class A {\n  void f() { int x = ; }\n  void g() {}\n}\n", {"A", "A.f", "A.g"}),
        ("a.go", "package a\nfunc f() { x := }\nfunc g() {}\n", {"f", "g"}),
        ("a.rs", "fn f() { let = ; }\nstruct S { x: }\nfn g() {}\n", {"f", "g"}),
        ("a.ts", "class A { f() { return ( } }\nfunction g() {}\n", {"g"}),
        ("a.rb", "class A\n  def f\n    x = = 1\n  end\n  def g\n  end\nend\n", {"A", "A.f", "A.g"}),
    ],
)
def test_a_syntax_error_leaves_what_can_be_made_out(path: str, text: str, expected: set[str]) -> None:
    assert expected <= {name for _, name, _, _ in symbols(path, text)}


@pytest.mark.parametrize("part", ["grammar", "tree_sitter"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_without_the_extra_the_message_says_how_to_get_it(
    suffix: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    languages = languages_of(suffix)
    for language in languages:
        monkeypatch.setitem(sys.modules, language.package if part == "grammar" else part, None)
    tree_module._grammar.cache_clear()
    with pytest.raises(FormatError) as caught:
        outline(f"src/a{suffix}", "x")
    assert str(caught.value) == (
        f"src/a{suffix}: found {languages[0].name}, whose outline needs an extra, expected the grammar to be "
        "installed; pip install 'rankgate[code]', or name lines, path:10-50"
    )


def test_grammars_are_imported_when_a_file_needs_them() -> None:
    import subprocess

    code = (
        "import sys\nfrom rankgate.outline import outline\noutline('a.py', 'x = 1'); outline('a.md', '# x')\n"
        "assert not [name for name in sys.modules if name.startswith(('tree_sitter', 'docutils'))]\n"
        "outline('a.go', 'package a')\n"
        "print(sorted(name for name in sys.modules if name.startswith('tree_sitter_') and '.' not in name))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['tree_sitter_go']"


@pytest.mark.parametrize("opening", ["class A { ", "class A { void f() { ", "interface I { class A { "])
def test_deep_nesting_is_refused_and_not_run_into(opening: str) -> None:
    deep = opening * 3_000 + "}" * opening.count("{") * 3_000
    with pytest.raises(FormatError, match=r"a\.java:1: found definitions nested more than 200 deep"):
        outline("a.java", deep)


def test_what_nests_without_names_may_nest_at_will() -> None:
    deep = "function f() { return " + "(" * 50_000 + "1" + ")" * 50_000 + " }\n"
    assert names("a.js", deep) == ["function f"]
    assert names("a.go", "package a\nfunc f() {" + "{" * 50_000 + "}" * 50_000 + "}\n") == ["function f"]


@pytest.mark.parametrize("suffix", [".java", ".cs"])
def test_what_would_fill_the_memory_is_refused(suffix: str) -> None:
    with pytest.raises(FormatError, match="more than 1000 open <"):
        outline(f"a{suffix}", "a<" * 100_000)


@pytest.mark.parametrize("text", ["\"'`", "class foo def end fn x struct y ", "def f():\n    pass\n"])
def test_what_is_not_the_language_is_given_up_in_good_time(text: str) -> None:
    began = time.thread_time()
    with pytest.raises(FormatError, match="cannot read as Java in good time"):
        outline("a.java", text * (5_000_000 // len(text)))
    assert time.thread_time() - began < 20


def test_a_large_file_is_outlined_whole() -> None:
    sample = (SAMPLES / "KeyStore.java").read_text(encoding="utf-8")
    many = 5_000_000 // len(sample.encode())
    nodes = outline("a.java", sample * many)
    assert nodes is not None
    assert len(nodes) == 1 + 27 * many
    assert nodes[-1].end == nodes[0].end == 113 * many
