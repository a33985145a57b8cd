from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
import urllib3

from rankgate.errors import InputError, RankgateError, RetriableError, SystemFailedError
from rankgate.model.locations import Lines
from rankgate.model.search import Indexer, Query
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.registry import open_system
from rankgate.testing import ODD, check_system
from support.commands import rankgate
from support.engine_material import overhead, queries
from support.http_servers import serving
from support.sdists import unpacked
from support.zoekt_server import Zoekt, zoekt_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EMPTY: dict[str, object] = {"Result": {"Files": None}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zoekt]:
    """Two repositories: click, and a small one whose files are odd."""
    shop = tmp_path_factory.mktemp("repositories") / "shop"
    (shop / "src").mkdir(parents=True)
    (shop / "src" / "keys.py").write_text("# Keys\n\ndef rotate(key):\n    return key\n\n\nrotate(1)  # x\n")
    (shop / "src" / "keys.go").write_text("package keys\n\nfunc rotate() { /* a key */ }\n")
    (shop / "-rotate notes.txt").write_text('say "repo:click" or (nothing)\nKEY\n')
    (shop / "a b\n.md").write_text("größe 鍵 key\n")
    with zoekt_server((unpacked("click-8.5.1"), shop)) as started:
        yield started


def opened(server: Zoekt, **options: object) -> Any:
    return open_system("code", {"kind": "zoekt", "url": server.url, **options})


def found(system: Any, text: str, k: int = 10, **filters: Any) -> list[str]:
    return [hit.path for hit in system.search(Query(text, k, filters)).hits]


def bare(server: Zoekt, asked: str, k: int = 10, **opts: object) -> list[dict[str, Any]]:
    """Ask with nothing of rankgate in between."""
    limits = {"MaxDocDisplayCount": k, "ShardMaxMatchCount": 100_000, "TotalMaxMatchCount": 1_000_000}
    answer = urllib3.request("POST", f"{server.url}/api/search", json={"Q": asked, "Opts": limits | opts})
    assert answer.status == 200, answer.data
    return answer.json()["Result"]["Files"] or []


def test_zoekt_keeps_the_contract(server: Zoekt) -> None:
    check_system(opened(server), ("progress bar", "rotate key"))
    assert opened(server).unknown() == (f"the state of the server at {server.url.removeprefix('http://')}",)
    check_system(opened(server, match="any", level="lines"), ("progress bar", "rotate"))
    check_system(opened(server, request="lang:python sym:{query}"), ("rotate",))
    check_system(opened(server, syntax="zoekt"), ("progress or repo:shop",))
    assert not isinstance(opened(server), Indexer)


@pytest.mark.parametrize("match", ["all", pytest.param("any", marks=pytest.mark.long)])
def test_zoekt_ranks_as_the_bare_client_does(server: Zoekt, match: str, record_property: Any) -> None:
    system = opened(server, match=match, repository=True)
    total = 0
    by = " " if match == "all" else " or "
    for text in queries():
        expected = bare(server, by.join(dict.fromkeys(text.split())))
        hits = system.search(Query(text, 10)).hits
        assert [(hit.path, hit.score) for hit in hits] == [
            (f"{file['Repository']}/{file['FileName']}", file["Score"]) for file in expected
        ], text
        assert [hit.matches for hit in hits] == [
            sum(len(line["LineFragments"]) for line in file["LineMatches"] if not line["FileName"])
            for file in expected
        ]
        total += len(hits)
    assert total > 1000
    pool = urllib3.PoolManager()
    limits = {"MaxDocDisplayCount": 10, "ShardMaxMatchCount": 100_000, "TotalMaxMatchCount": 1_000_000}

    def once(text: str) -> object:
        body = {"Q": by.join(text.split()), "Opts": limits}
        return pool.request("POST", f"{server.url}/api/search", json=body).json()

    record_property("figures", f"{match}: {overhead(system, once)}; {total} hits")


def test_lines_are_those_of_the_chunks_in_the_bare_clients_order(server: Zoekt) -> None:
    root = unpacked("click-8.5.1")
    system = opened(server, level="lines", opts={"NumContextLines": 1}, filters={"in": "repo"})
    total = 0
    for text in queries():
        files = bare(
            server,
            f"repo:click {' '.join(dict.fromkeys(text.split()))}",
            NumContextLines=1,
            ChunkMatches=True,
        )
        expected = [(file["FileName"], chunk["Score"]) for file in files for chunk in file["ChunkMatches"]]
        hits = system.search(Query(text, 10, {"in": "click-8.5.1"})).hits
        assert [(hit.path, hit.score) for hit in hits] == expected[:10]
        for hit in hits:
            if hit.lines is None:
                continue
            lines = (root / hit.path).read_bytes().decode().split("\n")
            shown = "\n".join(lines[hit.lines.start - 1 : hit.lines.end])
            assert hit.text.removesuffix("\n") == shown
            assert any(word.lower() in shown.lower() for word in text.split())
            total += 1
    assert total > 1000
    assert system.dropped > 0


def test_a_hit_is_a_file_or_its_lines(server: Zoekt) -> None:
    hits = opened(server, level="lines").search(Query("rotate", filters={"repo": "shop"})).hits
    assert {(hit.path, hit.lines, hit.matches) for hit in hits} == {
        ("src/keys.py", Lines(3, 3), 1),
        ("src/keys.py", Lines(7, 7), 1),
        ("src/keys.go", Lines(3, 3), 1),
        ("-rotate notes.txt", None, None),
    }
    hits = opened(server).search(Query("rotate", filters={"repo": "shop"})).hits
    assert {(hit.path, hit.lines, hit.matches) for hit in hits} == {
        ("src/keys.py", None, 2),
        ("src/keys.go", None, 1),
        ("-rotate notes.txt", None, 0),
    }


def test_words_are_words_and_all_of_them_count_unless_any_will_do(server: Zoekt) -> None:
    shop: Any = {"repo": "shop"}
    assert found(opened(server), "rotate return", **shop) == ["src/keys.py"]
    assert set(found(opened(server, match="any"), "return package", **shop)) == {"src/keys.py", "src/keys.go"}
    assert found(opened(server), "repo:click (nothing", **shop) == ["-rotate notes.txt"]
    assert found(opened(server), "package|return", **shop) == []
    assert found(opened(server), "key or rotate", **shop) == ["-rotate notes.txt"]
    assert found(opened(server), "KEY", **shop) == ["-rotate notes.txt"]
    assert found(opened(server), "größe 鍵", **shop) == ["a b\n.md"]
    assert found(opened(server), " -!? ") == []


def test_a_request_of_ones_own_holds_the_words(server: Zoekt) -> None:
    def own(request: str, text: str = "rotate", **options: object) -> list[str]:
        return found(opened(server, request=request, **options), text)

    assert own("repo:^shop$ lang:go {query}") == ["src/keys.go"]
    assert own("repo:shop ({query} or package) lang:go", "no such words") == ["src/keys.go"]
    assert own("repo:shop file:key -{query}", "return") == ["src/keys.go"]
    if shutil.which("ctags"):
        assert set(own("repo:shop sym:{query}", "rotate")) == {"src/keys.py", "src/keys.go"}
    assert own("repo:shop sym:{query}", "return") == []
    assert own("repo:shop file:{query}", "keys go") == ["src/keys.go"]
    assert set(own("repo:shop file:{query}", "go notes", match="any")) == {"src/keys.go", "-rotate notes.txt"}
    assert own("repo:shop case:yes {query}", "key KEY") == []
    assert own("repo:shop\n  {query}\n  lang:go\n") == ["src/keys.go"]
    either = opened(server, request="lang:go {query} or import")
    assert found(either, "rotate", repo="shop") == ["src/keys.go"]
    assert len(found(either, "rotate", 100)) > 10


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("lang:go", "no {query}"),
        ('"a {query}"', "in quotes"),
        ("foo{query}", "inside a word"),
        ("repo:{query}", "inside a word"),
        ("{query}bar", "inside a word"),
    ],
)
def test_a_request_that_could_not_hold_words_is_refused(server: Zoekt, request_: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        opened(server, request=request_)


def test_zoekts_own_language_is_spoken_where_the_options_say_so(server: Zoekt) -> None:
    system = opened(server, syntax="zoekt")
    assert found(system, "repo:shop (return or package) -lang:go") == ["src/keys.py"]
    assert found(system, "repo:shop\nreturn") == ["src/keys.py"]
    assert found(system, "r.tate.key lang:python", repo="shop") == ["src/keys.py"]
    with pytest.raises(SystemFailedError, match="missing close paren"):
        system.search(Query("( a"))
    assert found(system, f"{'( ' * 8}repo:shop package{' )' * 8}") == ["src/keys.go"]
    with pytest.raises(SystemFailedError, match="parentheses 9 deep"):
        system.search(Query(f"{'( ' * 9}repo:shop package{' )' * 9}"))
    with pytest.raises(InputError, match="'zoekt' beside request"):
        opened(server, syntax="zoekt", request="{query}")


def test_filters_are_bound_and_nothing_steps_out_of_them(server: Zoekt) -> None:
    system = opened(server, filters={"language": "lang", "repo": "repo"})
    assert found(system, "rotate", repo="shop", language="Go") == ["src/keys.go"]
    assert set(found(system, "rotate key", repo=("shop", "x"), language=("go", "python"))) == {
        "src/keys.go",
        "src/keys.py",
    }
    for odd in (
        "sho",
        "shop|click",
        ".*",
        'x" or repo:"',
        "shop) or (",
        "",
        "\\",
        "\n",
        "\ud800",
        ' or "',
        ")",
    ):
        assert found(system, "rotate", repo=odd) == [], odd
        assert found(system, "rotate", language=odd) == [], odd
    assert found(system, "rotate", repo=()) == []
    with pytest.raises(SystemFailedError, match="filters lang"):
        found(system, "rotate", lang="go")
    own = opened(server, syntax="zoekt")
    assert set(found(own, "progressbar or rotate", repo="shop")) == set(found(own, "rotate", repo="shop"))
    for text in (
        "x) or (progressbar",
        '")" or progressbar',
        "[(] ) or progressbar ([)]",
        "\\) or progressbar",
    ):
        with pytest.raises(SystemFailedError, match="parentheses"):
            found(own, text, repo="shop")
    for text in ("progressbar\\", 'progressbar "" or', "progressbar -", 'progressbar "', "progressbar or"):
        try:
            assert found(own, text, repo="shop") == []
        except SystemFailedError:
            assert text != "progressbar\\"


@pytest.mark.parametrize("syntax", ["words", "zoekt"])
def test_odd_queries_are_answered_or_refused(server: Zoekt, syntax: str) -> None:
    system = opened(server, syntax=syntax, match="any", timeout=10)
    every = [
        *ODD.values(),
        "word " * 20_000,
        "( " * 50 + "a" + " )" * 50,
        " ".join(f"w{number}" for number in range(3_000)),
        "(" * 1_000,
    ]
    for text in every:
        for filters in ({}, {"repo": "shop"}):
            try:
                hits = system.search(Query(text, 10, filters)).hits
            except RankgateError:
                assert syntax == "zoekt", text
                continue
            if filters:
                assert {hit.path for hit in hits} <= {
                    "src/keys.py",
                    "src/keys.go",
                    "-rotate notes.txt",
                    "a b\n.md",
                }


def test_a_smaller_k_has_the_same_first_hits(server: Zoekt) -> None:
    system = opened(server, match="any")
    for text in queries()[:40]:
        ten = found(system, text, 10)
        assert found(system, text, 1) == ten[:1]
        assert found(system, text, 3) == ten[:3]
    assert system.cut == 0


def test_zoekts_own_options_are_passed_on(server: Zoekt) -> None:
    plain, bm25 = opened(server), opened(server, opts={"UseBM25Scoring": True})
    assert found(plain, "option") != found(bm25, "option")
    expected = bare(server, "option", UseBM25Scoring=True)
    assert found(bm25, "option") == [file["FileName"] for file in expected]
    few = opened(server, opts={"ShardMaxMatchCount": 1})
    assert len(found(few, "option")) < len(found(plain, "option"))
    assert few.cut > 0
    assert len(found(opened(server, opts={"MaxDocDisplayCount": 2}), "option")) == 2


def test_answers_of_some_files_only_are_told_after_a_run(
    server: Zoekt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = f'kind = "zoekt"\nurl = "{server.url}"\n'
    few = f"{plain}opts = {{ ShardMaxMatchCount = 1 }}\n"
    (tmp_path / "rankgate.toml").write_text(f"[systems.code]\n{plain}[systems.few]\n{few}")
    cases = "[{query: option, id: src/click/core.py}, {query: xyzzy, id: a}]"
    (tmp_path / "search.yaml").write_text(f"version: 1\nname: code\ncases: {cases}\n")
    monkeypatch.chdir(tmp_path)
    said = "1 answer of some files only, since the engine had enough matches"
    assert said in rankgate("test", "search.yaml", "--system", "few").printed()
    assert "some files" not in rankgate("test", "search.yaml", "--system", "code").printed()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"opts": {"UseBM25scoring": True}}, "did you mean UseBM25Scoring"),
        ({"opts": {"UseBM25Scoring": 1}}, "true or false"),
        ({"opts": {"ShardMaxMatchCount": -1}}, "a number from 0"),
        ({"opts": {"NumContextLines": 10**9}}, "a number from 0 to 1000"),
        ({"opts": {"MaxDocDisplayCount": True}}, "a number from 0"),
        ({"filters": {"lang": "content"}}, "one of lang, repo"),
        ({"timeout": 0}, "more than 0"),
        ({"url": "localhost:6070"}, "http://host"),
        ({"ca_file": "nowhere.pem"}, "a file of certificates"),
        ({"request": "{query} case:maybe"}, "unknown case argument"),
        ({"headers": {"X-Key": "${RANKGATE_NO_SUCH}"}}, "not set"),
    ],
)
def test_wrong_options_of_zoekt_are_told_when_it_is_opened(
    server: Zoekt, options: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        opened(server, **options)


def test_a_server_without_its_api_is_told_when_it_is_opened(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.txt").write_text("word\n")
    with (
        zoekt_server((tmp_path / "one",), "-html=true") as plain,
        pytest.raises(InputError, match="start zoekt-webserver with -rpc"),
    ):
        opened(plain)


def test_a_server_that_is_gone_is_worth_another_try(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.txt").write_text("word\n")
    with zoekt_server((tmp_path / "one",)) as short:
        system = opened(short)
        assert found(system, "word") == ["a.txt"]
        short.kill()
        with pytest.raises(RetriableError):
            system.search(Query("word"))
        with pytest.raises(RetriableError):
            opened(short)


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {"Result": None},
        {"Error": "busy"},
        {"Result": {"Files": {}}},
        {"Result": {"Files": [1]}},
        {"Result": {"Files": [{"FileName": "a"}]}},
        {
            "Result": {
                "Files": [{"FileName": 1, "Score": 1, "ChunkMatches": [{"Score": 1, "FileName": True}]}]
            }
        },
        {"Result": {"Files": [{"FileName": "a", "ChunkMatches": [{"Score": "x", "FileName": True}]}]}},
        {"Result": {"Files": [{"FileName": "a", "ChunkMatches": [{"Score": 1, "FileName": False}]}]}},
        {"Result": {"Files": None, "Crashes": 1}},
        {"Result": {"Files": None, "FilesSkipped": "x"}},
    ],
)
def test_what_is_no_answer_of_zoekts_is_an_error(wrong: Any) -> None:
    chunk = {"Score": 1, "FileName": False, "ContentStart": {"LineNumber": 1}, "Ranges": []}
    with serving() as other:
        other.answer = EMPTY
        system = open_system("code", {"kind": "zoekt", "url": other.url, "level": "lines"})
        other.answer = wrong
        with pytest.raises(SystemFailedError):
            system.search(Query("word"))
        other.answer = {"Result": {"Files": [{"FileName": "a", "ChunkMatches": [{**chunk, "Content": "%"}]}]}}
        with pytest.raises(SystemFailedError):
            system.search(Query("word"))


def test_shards_that_are_not_loaded_yet_are_worth_asking_again() -> None:
    with serving() as other:
        other.answer = {"Result": {"Files": None, "Crashes": 1}}
        with pytest.raises(RetriableError, match="1 shard that crashed or is not loaded yet"):
            open_system("code", {"kind": "zoekt", "url": other.url})


def test_shards_that_there_was_no_time_for_are_a_time_out() -> None:
    with serving() as other:
        other.answer = EMPTY
        system = open_system("code", {"kind": "zoekt", "url": other.url, "timeout": 2.5})
        other.answer = {"Result": {"Files": None, "ShardsSkipped": 2}}
        with pytest.raises(TimedOutError, match="2 shards"):
            system.search(Query("word"))
        assert other.asked[-1]["body"]["Opts"]["MaxWallTime"] == 2_500_000_000


def test_secrets_reach_the_server_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODE_TOKEN", "t0k3n-t0k3n-t0k3n")
    with serving() as other:
        other.answer = EMPTY
        system: Any = open_system(
            "code", {"kind": "zoekt", "url": other.url, "headers": {"Authorization": "Bearer ${CODE_TOKEN}"}}
        )
        assert other.asked[-1]["headers"]["Authorization"] == "Bearer t0k3n-t0k3n-t0k3n"
        check_system(system, ("word",), secrets=("t0k3n",))
        assert "t0k3n" not in json.dumps(system.describe())


def test_a_configuration_names_the_server(
    server: Zoekt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODE_URL", server.url)
    (tmp_path / "rankgate.toml").write_text(
        '[systems.code]\nkind = "zoekt"\nurl = "${CODE_URL}"\nrequest = "repo:^shop$ {query}"\n'
    )
    monkeypatch.chdir(tmp_path)
    assert "src/keys.py" in rankgate("ask", "code", "rotate").printed()
