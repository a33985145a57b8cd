"""Code in other languages than Python: kinds, names and lines, read from samples written for it."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError
from rankgate.outline import KINDS, code, read_outline
from rankgate.outline.languages import SUFFIXES, languages_of

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = Path(__file__).parent / "samples"
METHODS = ("A.f", "S.f", "o.f")

pytest.importorskip("tree_sitter", reason="the extra `code` is not installed")


def symbols(path: str, text: str) -> list[tuple[str, str, int, int]]:
    nodes = read_outline(path, text)
    assert nodes is not None
    assert {node.kind for node in nodes} <= set(KINDS)
    return [(node.kind, node.qualified, node.start, node.end) for node in nodes[1:]]


def names(path: str, text: str) -> list[str]:
    return [f"{kind} {name}" for kind, name, _, _ in symbols(path, text)]


@pytest.mark.parametrize("sample", sorted(SAMPLES.iterdir()), ids=lambda sample: sample.name)
def test_every_language_has_the_outline_that_was_read_by_eye(
    sample: Path, golden: Callable[[str, str], None]
) -> None:
    nodes = read_outline(sample.name, sample.read_text(encoding="utf-8"))
    assert nodes is not None
    rows = [
        f"{position:3} {'-' if node.parent is None else node.parent:>3}"
        f" {node.start:4}-{node.end:<4}{node.kind:10} {node.qualified or node.name}"
        for position, node in enumerate(nodes)
    ]
    golden(f"outline/{sample.name}", "\n".join(rows) + "\n")


def test_every_suffix_has_a_sample_of_its_language() -> None:
    known = {language.name for suffix in SUFFIXES for language in languages_of(suffix)} - {"Python"}
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
        ("a.rs", "/// doc\n#[a]\n// remark\n#[b]\nfn f() {}\n", (1, 5)),
        ("a.rs", "/// doc\n\n#[a]\n\nfn f() {}\n", (3, 5)),
        ("a.rs", "//! The crate.\nfn f() {}\n", (2, 2)),
        ("a.rs", "#![inner]\n\nfn f() {}\n", (3, 3)),
        ("a.rs", "#[a]\nstruct S;\nfn f() {}\n", (3, 3)),
        ("a.rs", "#[cfg(any(a, /* b */ c))]\nfn f() {}\n", (1, 2)),
        ("a.rs", "struct S;\n/// Of S.\nimpl S {\n    /// doc\n    fn f() {}\n}\n", (4, 5)),
        ("a.java", "/** doc */\n@A\n@B(1)\nclass f {\n}\n", (1, 5)),
        ("a.java", "/* Licence. */\n\n/**\n * doc\n */\nclass f {\n}\n", (3, 7)),
        ("a.java", "class A {\n  int x; // of x\n  void f() {}\n}\n", (3, 3)),
        ("a.cs", "// remark\n[A]\n[B]\nclass f\n{\n}\n", (1, 6)),
        ("a.cs", "class A\n{\n  /// <summary>It.</summary>\n  public int f() => 1;\n}\n", (3, 4)),
        ("a.ts", "// remark\n@a\n@b()\nexport class f {\n}\n", (1, 5)),
        ("a.ts", "/** doc */\nexport interface f {}\n", (1, 2)),
        ("a.ts", "/** doc */\nexport const f = () => 1\n", (1, 2)),
        ("a.ts", "/** Of g. */\nconst g = () => 1, f = () => 2\n", (2, 2)),
        ("a.ts", "/** Of A. */\nclass A { f() {} }\n", (2, 2)),
        ("a.ts", "const a = 1; /* one */\nfunction f() {}\n", (2, 2)),
        ("a.cpp", "// remark\ntemplate <class T>\nvoid f()\n{\n}\n", (1, 5)),
        ("a.cpp", "struct A {\n  int x;\n  ///< of x\n  void f() {}\n};\n", (4, 4)),
        ("a.c", "/* ä */ int\nf(void)\n{\n}\n/* after */\n", (1, 4)),
        ("a.c", "/* doc */\ntypedef struct f {\n  int x;\n} f_t;\n", (1, 4)),
        ("a.c", "/* doc */\n#define f(a) \\\n  (a)\nint x;\n", (1, 3)),
        ("a.js", "/** doc */\nexport const f =\n  () => {\n  };\n", (1, 4)),
        ("a.js", "const o = {\n  // doc\n  f() {},\n}\n", (2, 3)),
        ("a.rb", "# doc\ndef f\n  1\nend\n", (1, 4)),
        ("a.rb", "#!/usr/bin/ruby\n# doc\ndef f\nend\n", (2, 4)),
        ("a.rb", "class A\n  # doc\n  private def f\n  end\nend\n", (2, 4)),
        ("a.rb", "=begin\ndoc\n=end\ndef f\nend\n", (1, 5)),
        ("a.go", "package a\n\n// f does.\nfunc f() {\n}\n", (3, 5)),
        ("a.go", "package a\n\n// f does.\n\nfunc f() {\n}\n", (5, 6)),
        ("a.go", "package a\n\n// f is.\ntype f struct {\n}\n", (3, 5)),
        ("a.go", "package a\n\n// Both.\ntype (\n\t// f is.\n\tf struct{}\n)\n", (5, 6)),
        ("a.py", "# doc\n# more\n@a\ndef f():\n    pass\n    # end\n", (1, 5)),
        ("a.py", "def g():\n    pass\n    # of g\ndef f(): pass\n", (4, 4)),
        ("a.py", 'x = """\n# text"""\ndef f(): pass\n', (3, 3)),
    ],
)
def test_lines_are_those_of_the_definition_with_what_belongs_to_it(
    path: str, text: str, lines: tuple[int, int]
) -> None:
    found = [
        (start, end) for _, name, start, end in symbols(path, text) if name in ("f", "A.f", "S.f", "o.f")
    ]
    assert found == [lines]


def test_a_comment_belongs_to_one_definition_alone() -> None:
    text = "class A {\n  // of f\n  f() {}\n  // of g\n  g() {}\n  // of nothing\n}\n"
    assert symbols("a.ts", text) == [("class", "A", 1, 7), ("method", "A.f", 2, 3), ("method", "A.g", 4, 5)]


def test_a_node_says_how_many_of_its_lines_are_the_comment_above() -> None:
    text = "// One.\n// Two.\n@a\nexport class f {\n}\nfunction g() {}\n"
    nodes = read_outline("a.ts", text)
    assert nodes is not None
    assert [(node.name, node.comment_lines) for node in nodes[1:]] == [("f", 2), ("g", 0)]


def test_comments_are_told_apart_beside_an_error_too() -> None:
    broken = "def f():\n    x = = 1\n    y = 2\n    # remark\n\n\ndef g(): pass\n"
    assert symbols("a.py", broken)[0] == ("function", "f", 1, 3)


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
@pytest.mark.parametrize("suffix", sorted({*SUFFIXES} - {".py"}))
def test_without_the_extra_the_message_says_how_to_get_it(
    suffix: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    languages = languages_of(suffix)
    for language in languages:
        monkeypatch.setitem(sys.modules, language.package if part == "grammar" else part, None)
    with pytest.raises(FormatError) as caught:
        read_outline(f"src/a{suffix}", "x")
    assert str(caught.value) == (
        f"src/a{suffix}: found {languages[0].name}, whose outline needs an extra, expected the grammar to be "
        "installed; pip install 'rankgate[code]', or name lines, path:10-50"
    )


def test_nothing_is_imported_before_a_file_needs_it() -> None:
    program = (
        "import sys\nfrom rankgate.outline import code, read_outline\n"
        "read_outline('a.py', 'x = 1'); read_outline('a.md', '# x')\n"
        "assert code._CHILD.process is None\n"
        "read_outline('a.go', 'package a')\n"
        "assert code._CHILD.process is not None\n"
        "assert not [name for name in sys.modules if name.startswith(('tree_sitter', 'docutils'))]\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60)


@pytest.mark.parametrize("opening", ["class A { ", "class A { void f() { ", "interface I { class A { "])
def test_deep_nesting_is_refused_and_not_run_into(opening: str) -> None:
    deep = opening * 3_000 + "}" * opening.count("{") * 3_000
    with pytest.raises(FormatError, match=r"a\.java:1: found definitions nested more than 200 deep"):
        read_outline("a.java", deep)


def test_what_nests_without_names_may_nest_at_will() -> None:
    deep = "function f() { return " + "(" * 50_000 + "1" + ")" * 50_000 + " }\n"
    assert names("a.js", deep) == ["function f"]
    assert names("a.go", "package a\nfunc f() {" + "{" * 50_000 + "}" * 50_000 + "}\n") == ["function f"]


HARMFUL = [
    # The grammar of TypeScript 0.23 loops.
    ("a.ts", "[t's/*'i=[}a`(1\"*/"),
    # Those of Java and C# keep every reading, 4 GB for 100 kB.
    ("a.java", "a<" * 100_000),
    ("a.cs", "a<" * 100_000),
    # What is not the language at all takes time by the square of its length.
    ("a.java", "\"'`" * 60_000),
    ("a.java", "class foo def end fn x struct y " * 8_000),
    # A query over such an error does, too.
    ("a.java", "(" * 200_000),
]


# Named by number: pytest hands the name on in the environment, which is too long with 200 kB of text.
@pytest.mark.parametrize(("path", "text"), HARMFUL, ids=range(len(HARMFUL)))
def test_what_tree_sitter_does_not_survive_is_refused_and_the_next_file_is_not(path: str, text: str) -> None:
    name = languages_of(Path(path).suffix)[0].name
    with pytest.raises(FormatError) as caught:
        read_outline(path, text)
    assert str(caught.value) == (
        f"{path}: found what tree-sitter cannot read as {name}: it did not end, or ended the process, "
        f"expected {name}; name lines instead of a symbol, path:10-50"
    )
    assert names("a.js", "function f() {}") == ["function f"]


def test_a_process_that_was_ended_from_outside_is_started_again() -> None:
    assert names("a.js", "function f() {}") == ["function f"]
    process = code._CHILD.process
    assert process is not None
    process.kill()
    process.wait()
    assert names("a.js", "function f() {}") == ["function f"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_has_a_process_of_its_own() -> None:
    program = (
        "import os\nfrom rankgate.outline import code, read_outline\n"
        "read_outline('a.go', 'package a')\nfirst = code._CHILD.process.pid\n"
        "child = os.fork()\n"
        "assert len(read_outline('a.go', 'package a\\nfunc f() {}')) == 2\n"
        "assert (code._CHILD.process.pid != first) == (child == 0)\n"
        "if child: assert os.waitpid(child, 0)[1] == 0\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_threads_take_turns() -> None:
    with ThreadPoolExecutor(8) as pool:
        texts = [f"function f{number}() {{}}" for number in range(200)]
        found = list(pool.map(lambda text: names("a.js", text), texts))
    assert found == [[f"function f{number}"] for number in range(200)]


def test_a_large_file_is_outlined_whole() -> None:
    sample = (SAMPLES / "KeyStore.java").read_text(encoding="utf-8")
    many = 5_000_000 // len(sample.encode())
    nodes = read_outline("a.java", sample * many)
    assert nodes is not None
    assert len(nodes) == 1 + 27 * many
    assert nodes[-1].end == nodes[0].end == 113 * many
