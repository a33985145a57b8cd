"""``rankgate test --fix-mapping`` shows what the proposed setting does, and writes it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

SETTING = 'locate = { strip_prefix = "docs/" }'
SEARCH = """
def search(query, k):
    return [{"path": "docs/keys.md", "start": 5, "end": 5} for _ in range(k)]
"""
CONFIGURATIONS = {
    "a table": (
        "rankgate.toml",
        '# ours\n[systems.docs]\nfunction = "app:search"\n\n[systems.other]\nrun = "x"\n',
    ),
    "a table without an end": ("rankgate.toml", '[systems.docs]\nfunction = "app:search"'),
    "a setting that is wrong": (
        "rankgate.toml",
        '[systems.docs]\nfunction = "app:search"\nlocate = { strip_prefix = "wrong/" }\n',
    ),
    "pyproject": (
        "pyproject.toml",
        '[project]\nname = "x"\n\n[tool.rankgate.systems.docs]\nfunction = "app:search"\n',
    ),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "keys.md").write_text("# Keys\n\n## Rotation\n\nRotate the key.\n")
    (tmp_path / "s.yaml").write_text(
        "corpus: pages/\ngates: [rr@5 >= 0.9]\ncases:\n  - {query: rotate a key, at: keys.md#Rotation}\n"
    )
    (tmp_path / "app.py").write_text(SEARCH)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_setting_is_written_where_it_belongs_and_mends_the_test(project: Path, name: str) -> None:
    file, text = CONFIGURATIONS[name]
    (project / file).write_text(text)
    done = rankgate("test", "s.yaml", "--system", "docs", "--fix-mapping")
    # No red screen, and no advice to write what was just written; but nothing passed yet.
    assert done.code == 3
    assert done.out == (
        f"docs: 0 of 10 hits have a location; with {SETTING}, 10 have\n"
        f"written to {file}; run the test again: rankgate test s.yaml --system docs\n"
    )
    assert SETTING in (project / file).read_text()
    assert "# ours" in (project / file).read_text() or "# ours" not in text
    assert rankgate("test", "s.yaml", "--system", "docs").code == 0


def test_a_system_without_a_table_gets_one(project: Path) -> None:
    done = rankgate("test", "s.yaml", "--system", "app:search", "--fix-mapping")
    assert (done.code, "written to rankgate.toml" in done.out) == (3, True)
    assert (project / "rankgate.toml").read_text() == (
        f'[systems."app:search"]\nfunction = "app:search"\n{SETTING}\n'
    )
    assert rankgate("test", "s.yaml", "--system", "app:search").code == 0


def test_nothing_is_written_where_nothing_is_wrong(project: Path) -> None:
    (project / "app.py").write_text(SEARCH.replace("docs/", ""))
    done = rankgate("test", "s.yaml", "--system", "app:search", "--fix-mapping")
    assert done.code == 0
    assert "there is no setting that would locate more hits" in done.out
    assert not (project / "rankgate.toml").exists()


FIELD = 'fields = { path = "metadata.source", text = "page_content" }'
PRINTS = """
import json
texts = {"keys.md": "## Rotation\\n\\nRotate the key.", "roles.md": "Roles of people are many."}
hits = [{"title": at[0], "page_content": texts[at], "metadata": {"source": at}} for at in texts]
print(json.dumps(hits * 5))
"""
HEAD = """# ours
[systems.docs]
command = ["PYTHON", "prints.py", "{query}"]
output = "json" # as it comes
"""
NEXT = "\n[systems.other]\nrun = 'x'\n"
TABLES = {
    "an inline table": (
        f"{HEAD}fields = {{ path = 'title' }} # which?\n{NEXT}",
        f"{HEAD}{FIELD} # which?\n{NEXT}",
    ),
    "keys with dots": (
        f"{HEAD}fields.path = 'title'\n{NEXT}",
        f'{HEAD}fields.path = "metadata.source"\nfields.text = "page_content"\n{NEXT}',
    ),
    "a table with a head": (
        f"{HEAD}{NEXT}\n[systems.docs.fields]\npath = 'title' # which?",
        f'{HEAD}{NEXT}\n[systems.docs.fields]\npath = "metadata.source" # which?\ntext = "page_content"\n',
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_fields_are_written_where_they_stand_and_nothing_else_is_touched(project: Path, name: str) -> None:
    (project / "pages" / "roles.md").write_text("# Roles\n\nRoles of people are many.\n")
    (project / "prints.py").write_text(PRINTS)
    before, after = (text.replace("PYTHON", sys.executable) for text in TABLES[name])
    (project / "rankgate.toml").write_text(before)
    done = rankgate("test", "s.yaml", "--system", "docs", "--fix-mapping")
    assert done.code == 3
    assert f"docs: 0 of the first 10 hits have a location; with {FIELD}, 10 have" in done.out
    assert (project / "rankgate.toml").read_text() == after
    assert rankgate("test", "s.yaml", "--system", "docs").code == 0


def test_records_that_no_field_is_read_from_are_mended_though_every_query_failed(project: Path) -> None:
    (project / "pages" / "roles.md").write_text("# Roles\n\nRoles of people are many.\n")
    (project / "prints.py").write_text(PRINTS)
    (project / "rankgate.toml").write_text(HEAD.replace("PYTHON", sys.executable))
    done = rankgate("test", "s.yaml", "--system", "docs", "--fix-mapping")
    assert done.code == 3
    text = (project / "rankgate.toml").read_text()
    assert text.count("fields = ") == 1
    assert 'fields = { text = "page_content" }' in text
    assert rankgate("test", "s.yaml", "--system", "docs").code == 0


def test_two_settings_are_written_where_both_are_missing(project: Path) -> None:
    (project / "pages" / "roles.md").write_text("# Roles\n\nRoles of people are many.\n")
    (project / "prints.py").write_text(PRINTS.replace('"source": at', '"source": "/srv/" + at'))
    before = f"{HEAD}fields.path = 'title'\n{NEXT}".replace("PYTHON", sys.executable)
    (project / "rankgate.toml").write_text(before)
    done = rankgate("test", "s.yaml", "--system", "docs", "--fix-mapping")
    both = f'{FIELD} and locate = {{ strip_prefix = "/srv/" }}'
    assert f"docs: 0 of the first 10 hits have a location; with {both}, 10 have" in done.out
    text = (project / "rankgate.toml").read_text()
    assert 'fields.path = "metadata.source"\nfields.text = "page_content"\n' in text
    assert text.count('locate = { strip_prefix = "/srv/" }') == 1
    assert text.startswith("# ours\n")
    assert text.endswith(NEXT)
    assert rankgate("test", "s.yaml", "--system", "docs").code == 0
