"""The address of a page of a site becomes a file and lines by the site's own configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import InputError
from rankgate.suites.formats import load_suite
from rankgate.suites.native.dump import write_native
from rankgate.truth.locations.locate import GivenHit, Locator

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model import MapRule

SITES = {
    "mkdocs": {
        "mkdocs.yml": "site_url: https://a.example/app\nmarkdown_extensions:\n  - toc: {separator: _}\n"
        "  - attr_list\n  - x: {y: !!python/name:z.z }\n",
        "docs/index.md": "# Home\n",
        "docs/auth/keys.md": "# Keys\n\n## Key rotation\n\n## Key rotation\n\n## Own { #mine }\n",
    },
    "sphinx": {
        "docs/conf.py": "import missing\nhtml_baseurl = 'https://a.example/en/latest'\n"
        "exclude_patterns = ['old*']\n",
        "docs/index.rst": "Home\n====\n",
        "docs/auth/keys.rst": "Keys\n====\n\nKey rotation\n------------\n\nKey rotation\n------------\n\n"
        ".. include:: /auth/more.txt\n\n.. function:: turn(key)\n\n   Turns.\n",
        "docs/auth/more.txt": "More\n----\n",
        "docs/old.rst": "Old\n===\n",
    },
    "hugo": {
        "hugo.toml": 'baseURL = "https://a.example/"\ncontentDir = "pages"\n',
        "pages/_index.md": "# Home\n",
        "pages/auth/keys.md": "+++\nslug = 'the-keys'\n+++\n\n## Key [rotation](x)\n\n## Own {#mine}\n",
    },
    "docusaurus": {
        "docusaurus.config.js": "export default {url: 'https://a.example', baseUrl: '/app/',\n"
        "  presets: [['classic', {docs: {routeBasePath: 'guide'}}]]};\n",
        "docs/01-auth/02-keys.md": "# Keys\n\n## Key & rotation\n\n## Key & rotation\n\n## Own {#mine}\n",
        "docs/intro.md": "---\nslug: /\n---\n# Intro\n",
    },
    "github": {"README.md": "# Home\n", "docs/keys.md": "# Keys\n\n## Key & rotation\n"},
}


@pytest.mark.parametrize(
    ("program", "address", "place"),
    [
        ("mkdocs", "https://a.example/app/auth/keys/#key_rotation_1", "docs/auth/keys.md:5-6"),
        ("mkdocs", "auth/keys/#mine", "docs/auth/keys.md:7-7"),
        ("mkdocs", "/fr/2.1/auth/keys/index.html", "docs/auth/keys.md"),
        ("mkdocs", "http://localhost:8000/app/", "docs/index.md"),
        ("mkdocs", "https://other.example/auth/keys/", None),
        ("mkdocs", "/nowhere/", None),
        ("sphinx", "https://a.example/en/latest/auth/keys.html#id1", "docs/auth/keys.rst:7-14"),
        ("sphinx", "https://a.example/en/stable/auth/keys.html#turn", "docs/auth/keys.rst:12-14"),
        ("sphinx", "auth/keys.html#more", "docs/auth/more.txt:1-2"),
        ("sphinx", "/index.html", "docs/index.rst"),
        ("sphinx", "old.html", None),
        ("hugo", "https://a.example/auth/the-keys/#key-rotationx", "pages/auth/keys.md:5-6"),
        ("hugo", "/auth/the-keys/#mine", "pages/auth/keys.md:7-7"),
        ("hugo", "/auth/keys/", None),
        (
            "docusaurus",
            "https://a.example/app/guide/auth/keys#key--rotation-1",
            "docs/01-auth/02-keys.md:5-6",
        ),
        ("docusaurus", "/app/guide/auth/keys/#mine", "docs/01-auth/02-keys.md:7-7"),
        ("docusaurus", "/app/guide", "docs/intro.md"),
        ("github", "https://github.com/o/r/blob/main/docs/keys.md#key--rotation", "docs/keys.md:3-3"),
        ("github", "https://github.com/o/r/blob/a/b/docs/keys.md?plain=1#L1-L2", "docs/keys.md:1-2"),
    ],
)
def test_an_address_becomes_a_place(tmp_path: Path, program: str, address: str, place: str | None) -> None:
    _write(tmp_path, SITES[program])
    rules = _rules(tmp_path, program)
    found = Locator(FolderCorpus.open(tmp_path, root=tmp_path), rules).locate(GivenHit(id=address))
    lines = f":{found.start}-{found.end}" if found.start else ""
    assert (f"{found.path}{lines}" if found.path else None) == place


def test_the_configuration_may_lie_above_the_corpus(tmp_path: Path) -> None:
    _write(tmp_path, SITES["mkdocs"])
    corpus = FolderCorpus.open(tmp_path / "docs", root=tmp_path)
    rules = _rules(tmp_path, "mkdocs")
    assert Locator(corpus, rules).locate(GivenHit(id="/app/auth/keys/#mine")).path == "auth/keys.md"


def test_a_site_without_its_configuration_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    _write(tmp_path, {"docs/a.md": "# A\n", "rankgate.toml": ""})
    corpus = FolderCorpus.open(tmp_path / "docs", root=tmp_path)
    with pytest.raises(InputError, match=r"no mkdocs\.yml or mkdocs\.yaml, neither in the corpus"):
        Locator(corpus, _rules(tmp_path, "mkdocs"))


@pytest.mark.parametrize("name", ["../../secret.yml", "link.yml"])
def test_a_configuration_outside_the_project_is_not_read(tmp_path: Path, name: str) -> None:
    _write(tmp_path, {"secret.yml": "docs_dir: .\n", "app/docs/a.md": "# A\n", "app/rankgate.toml": ""})
    (tmp_path / "app" / "link.yml").symlink_to(tmp_path / "secret.yml")
    corpus = FolderCorpus.open(tmp_path / "app" / "docs", root=tmp_path)
    with pytest.raises(InputError, match="neither in the corpus"):
        Locator(corpus, _rules(tmp_path, f"{{mkdocs: {name}}}"))


def test_a_site_may_be_one_rule_of_several_and_survives_writing(tmp_path: Path) -> None:
    rules = _rules(tmp_path, "[{from: a, to: b}, {sphinx: docs/conf.py}, github]")
    written = [(rule.pattern, rule.template) for rule in rules]
    assert written == [("a", "b"), ("sphinx", "docs/conf.py"), ("github", "")]
    again = tmp_path / "again.yaml"
    write_native(load_suite(tmp_path / "s.yaml"), again)
    assert load_suite(again).map_rules == rules


def _rules(folder: Path, written: str) -> tuple[MapRule, ...]:
    text = f"corpus: .\nmap: {written}\ncases: [{{query: a, at: x}}]\n"
    (folder / "s.yaml").write_text(text, encoding="utf-8")
    return load_suite(folder / "s.yaml").map_rules


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
