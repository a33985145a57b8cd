"""Runs with hits that could not be located, and the lines that a suite needs to locate them.

Such a run scores 0 and looks like a bad search. It is a mapping problem in three cases (`mapping_problem`).
A search that returns wrong documents is none: its hits are in the corpus, or have the form of judged ids.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from rankgate.errors import escaped
from rankgate.hit_classes import HitClass, LocateRules
from rankgate.model import PAGES, MapRule
from rankgate.truth.urls import MapRules, PageFinder
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus

MOST_HITS = 100_000
"""How many hits are looked at; the first ones say as much as all."""
MOST_NAMES = 2_000
"""How many distinct names are looked at: those with the most hits."""
SECONDS = 1.0
"""The processor time of the search for rules, so that a busy machine finds the same rule."""
SHARE = 3
"""A rule that locates a third of all hits is missing."""
_CLEAR = 0.8
"""The share of hits that have the form of a rule for ids, and of ranges that are offsets."""
_MOST_RULES = 12
_MOST_MARKS = 40
_SHOWN = 80

_NAME = pl.coalesce(pl.col("given").struct.field("path"), "path", "id")
_LOCATED = [HitClass.EXACT.value, HitClass.SEVERAL.value, HitClass.FILE.value]
_LINES_BEHIND = re.compile(r":[0-9]+(?:-[0-9]+)?\Z")
_WORDS = re.compile(r"[^\W\d_]+(?:[-_ ][^\W\d_]+)*")
_DIGITS = re.compile(r"\d+")
_SPECIAL = re.compile(r"[.^$*+?{}\[\]\\|()]")
_NUMBER = re.compile(r"0*([0-9]+)(?:\.0+)?")


@dataclass(frozen=True, slots=True)
class MappingProblem:
    """Why hits could not be located, and how to locate them."""

    problems: tuple[str, ...]
    """What was found, as full sentences with counts and one example."""
    lines: tuple[str, ...] = ()
    """The lines to add to the suite, or to the system in the configuration for ``locate = …``."""


class _Rule(NamedTuple):
    """A map rule that would locate hits."""

    rules: tuple[MapRule, ...]
    number: int
    """How many hits it locates."""
    name: str
    """The name of such a hit."""
    document: str
    """What the rule makes of it."""

    @property
    def is_pages(self) -> bool:
        return self.rules == (PAGES,)


def mapping_problem(
    hits: pl.DataFrame,
    targets: pl.DataFrame,
    corpus: Corpus | None,
    *,
    reached: bool,
    baseline_located: bool,
    match_path: bool,
    map_rules: Sequence[MapRule],
) -> MappingProblem | None:
    """Return why the hits of a run could not be located; None if they were, or if the search is just bad.

    It is a mapping problem if

    1. no hit reached a target and none has an exact location. Ids that are compared as written count only if
       a rule would make judged ids of them;
    2. or one map rule would locate at least a third of all hits, counting only hits without a location;
    3. or no target of a section or range was reached, and at least a third of the hits are whole documents
       that have targets.

    Args:
        hits: The hits of all queries, located: query, id, path, start, text, start_char, class, strategy and
            given.
        targets: The relevant targets: query, id, path, start and end.
        corpus: The documents that hits were located in.
        reached: Whether a hit reached a relevant target.
        baseline_located: Whether the hits of the baseline were located and the form of hits is the same.
        match_path: Whether the suite has `match: path`.
        map_rules: The map rules of the suite.
    """
    # Targets that are not in the documents have neither a path nor an id.
    targets = targets.filter(pl.col("path").is_not_null() | pl.col("id").is_not_null())
    if baseline_located or hits.is_empty() or targets.is_empty():
        return None
    rows = hits.head(MOST_HITS).with_columns(name=_NAME)
    deadline = process_time() + SECONDS
    ids_only = not targets["path"].count()
    if corpus is None or (ids_only and not corpus.records):
        # Paths and ids are compared as written.
        found = None if reached else _as_written(rows, targets, map_rules, deadline)
        return found or _whole_documents(rows, targets, reached=reached, match_path=match_path)
    classes = dict(rows.group_by("class").len().iter_rows())
    exact = classes.get(HitClass.EXACT, 0) + classes.get(HitClass.SEVERAL, 0)
    if match_path or targets["start"].null_count():
        exact += classes.get(HitClass.FILE, 0)
    if exact == len(rows):
        return None
    nothing = not reached and not exact
    lost = rows.filter(~pl.col("class").is_in(_LOCATED).fill_null(value=False))
    problem = _offsets(rows, lost, corpus)
    if problem is None and len(lost):
        # The name of a hit behind the end of its document is right.
        names = _names(lost.filter((pl.col("class") != HitClass.PAST_END.value).fill_null(value=True)))
        rule = _record_rule(names, corpus, deadline) if corpus.records else None
        rule = rule or (None if corpus.records else _file_rule(names, corpus, map_rules, deadline))
        if rule is not None and (
            rule.number * SHARE >= len(rows) or (nothing and rule.number * 2 > len(lost))
        ):
            problem = _proposal(rule, len(rows), map_rules, corpus, lost)
            if not match_path and not corpus.records:
                problem = _with_match_path(problem, rule, lost, targets, corpus, map_rules)
    problem = problem or _whole_documents(rows, targets, reached=reached, match_path=match_path)
    return problem or (_unexplained(rows, lost, corpus) if nothing else None)


# ---- with a corpus


def _file_rule(
    names: Mapping[str, int], corpus: Corpus, map_rules: Sequence[MapRule], deadline: float
) -> _Rule | None:
    """Return the map rule that gives most names a document."""
    names = {name: number for name, number in names.items() if _bare(name) not in corpus.skipped}
    paths = corpus.paths()
    found = [_prefix_rule(names, paths, corpus, deadline)]
    if PAGES not in map_rules:
        finder = PageFinder(paths)
        pages = {name: page for name in _until(names, deadline) if (page := finder.find(name)) is not None}
        # A name that has only its end in common with a document counts if others have the same prefixes.
        prefixes: Counter[tuple[str, str]] = Counter()
        for name, page in pages.items():
            prefixes[page.url_prefix, page.document_prefix] += names[name]
        usual = prefixes.most_common(1)[0][0] if prefixes else None
        pages = {
            name: page
            for name, page in pages.items()
            if (_is_url(name) and not (page.url_prefix and page.document_prefix))
            or (page.url_prefix, page.document_prefix) == usual
        }
        if pages:
            name = _example(pages, names)
            shown = pages[name].document + (f"#{pages[name].fragment}" if pages[name].fragment else "")
            found.append(_Rule((PAGES,), sum(names[one] for one in pages), name, shown))
    # Of rules that locate as many hits, a prefix says more than pages, and pages more than an extension.
    return max(
        (one for one in found if one is not None),
        key=lambda one: (one.number, one.is_pages or "(.*)" in one.rules[0].pattern, not one.is_pages),
        default=None,
    )


def _prefix_rule(
    names: Mapping[str, int], paths: Sequence[str], corpus: Corpus, deadline: float
) -> _Rule | None:
    """Return the rule that removes or adds one prefix, and adds an extension where names have none."""
    wanted = {_stem(name) for name in names}
    alike: dict[str, list[str]] = {}
    for path in paths:
        if (stem := _stem(path)) in wanted:
            alike.setdefault(stem, []).append(path)
    votes: Counter[tuple[str, str, str]] = Counter()
    clear: Counter[tuple[str, str, str]] = Counter()
    for name in _until(names, deadline):
        possible = (_change(name, path) for path in alike.get(_stem(name), ())[:20])
        changes = {one for one in possible if one is not None}
        votes.update(dict.fromkeys(changes, names[name]))
        if len(changes) == 1:
            clear.update(dict.fromkeys(changes, names[name]))
    found: list[_Rule] = []
    for change, number in votes.most_common(_MOST_RULES):
        # Names that many folders have, such as index, say little about the folder.
        if clear[change] * 2 < number:
            continue
        strip, add, suffix = change
        if suffix:
            rule = MapRule(f"{_literal(strip)}([^#]*?)/?(#.*)?", f"{_template(add)}\\1{_template(suffix)}\\2")
        else:
            rule = MapRule(f"{_literal(strip)}(.*)", f"{_template(add)}\\1")
        rules = MapRules((rule,), paths)
        made = {
            name: place for name in _until(names, deadline) if (place := rules.location(name)) is not None
        }
        made = {name: place for name, place in made.items() if str(place.path) in corpus}
        if made:
            name = _example(made, names)
            found.append(_Rule((rule,), sum(names[one] for one in made), name, str(made[name])))
    return max(found, key=lambda one: (one.number, -len(one.rules[0].pattern)), default=None)


def _change(name: str, path: str) -> tuple[str, str, str] | None:
    """Return the prefix to remove, the prefix to add and the extension to add that make a path of a name."""
    bare = _bare(name)
    stem, dot, extension = path.rpartition(".")
    suffix = dot + extension if dot and "/" not in extension and not bare.endswith(dot + extension) else ""
    short = stem if suffix else path
    if bare == short:
        return ("", "", suffix) if suffix else None
    if bare.endswith(f"/{short}"):
        return name[: len(bare) - len(short)], "", suffix
    if short.endswith(f"/{bare}"):
        return "", short[: len(short) - len(bare)], suffix
    return None


def _bare(name: str) -> str:
    """Return a name with slashes, without query, fragment and lines."""
    bare = name.partition("#")[0].partition("?")[0].replace("\\", "/").rstrip("/")
    return _LINES_BEHIND.sub("", bare)


def _stem(name: str) -> str:
    last = _bare(name).rpartition("/")[2]
    return last.rpartition(".")[0] or last


def _record_rule(names: Mapping[str, int], corpus: Corpus, deadline: float) -> _Rule | None:
    return _id_rule(names, dict.fromkeys(corpus.paths()), deadline)


def _with_match_path(
    problem: MappingProblem,
    rule: _Rule,
    lost: pl.DataFrame,
    targets: pl.DataFrame,
    corpus: Corpus,
    map_rules: Sequence[MapRule],
) -> MappingProblem:
    """Add `match: path` if the rule gives hits whole documents, and the targets are sections or ranges."""
    if targets["start"].null_count():
        return problem
    every = MapRules((*map_rules, *rule.rules), corpus.paths())
    wanted = set(targets["path"].drop_nulls())
    given = pl.col("given").struct.field("start")
    bare = lost.filter(pl.all_horizontal(pl.col("start", "text", "start_char").is_null(), given.is_null()))
    whole = 0
    for name, number in _names(bare).items():
        place = every.location(name)
        if place is not None and place.path in wanted and not place.heading and place.lines is None:
            whole += number
    if whole * SHARE < len(lost):
        return problem
    counted = _counted(whole, len(lost), "name")
    also = f"{counted} documents without a section or lines, and the targets have them."
    return MappingProblem((*problem.problems, also), (*problem.lines, "match: path"))


def _offsets(rows: pl.DataFrame, lost: pl.DataFrame, corpus: Corpus) -> MappingProblem | None:
    """Find starts and ends that do not count lines from 1: characters, or lines from 0."""
    if corpus.records:
        return None
    given = pl.col("given").struct
    past = lost.filter(pl.col("class") == HitClass.PAST_END.value).select(
        "path",
        start=pl.coalesce(given.field("start"), "start").cast(pl.Int64),
        end=pl.coalesce(given.field("end"), "end").cast(pl.Int64),
    )
    past = past.drop_nulls().filter(pl.col("path").is_in(list(corpus.paths())))
    if len(past) * SHARE < len(rows):
        return None
    from_zero, characters = 0, 0
    sizes: dict[str, tuple[int, int]] = {}
    for path, start, end in past.iter_rows():
        if path not in sizes:
            sizes[path] = corpus.lines(path), len(corpus.text(path))
        last, size = sizes[path]
        characters += 2 * last < end <= size
        from_zero += start == 0 and end < last
    example = "{}:{}-{}".format(*past.row(0))
    if characters >= _CLEAR * len(past):
        said = f"{_counted(len(past), len(rows), 'have')} offsets of characters as start and end: {example}."
        return _setting(said, LocateRules(start_end="characters"))
    if from_zero >= _CLEAR * len(past):
        said = f"{_counted(len(past), len(rows), 'count')} lines from 0: {example}."
        return _setting(said, LocateRules(lines_from=0))
    return None


def _setting(said: str, rules: LocateRules) -> MappingProblem:
    return MappingProblem((said, "Add the line to the system in rankgate.toml."), (str(rules),))


def _unexplained(rows: pl.DataFrame, lost: pl.DataFrame, corpus: Corpus) -> MappingProblem:
    """Describe hits of which none has an exact location and no rule gives them one."""
    if len(lost) * 2 < len(rows):
        whole = rows.filter(pl.col("class") == HitClass.FILE.value)
        name = _shown(str(whole["path"][0]))
        said = (
            f"{_counted(len(whole), len(rows), 'name')} a document without lines, such as {name}, "
            "and the targets are sections or ranges."
        )
        fix = "Return start and end or the text of each result, or compare documents."
        return MappingProblem((said, fix), ("match: path",))
    name = _shown(next(iter(_names(lost)), ""))
    left_out = lost.filter(pl.col("name").is_in([*corpus.skipped]))
    if len(left_out) * 2 > len(lost):
        name = str(left_out["name"][0])
        such = f"{_shown(name)} ({_shown(corpus.skipped[name])})"
        said = f"{_counted(len(left_out), len(rows), 'are')} left out of the corpus, such as {such}."
        fix = "Leave these files out of the index, or change include and exclude of the corpus."
    elif (number := _of(lost, HitClass.PAST_END)) * 2 > len(lost):
        said = f"{_counted(number, len(rows), 'have')} lines that their document does not have."
        fix = "Index the corpus of the suite again."
    elif (number := _of(lost, HitClass.NO_TEXT)) * 2 > len(lost):
        said = f"{_counted(number, len(rows), 'have')} only a text, and the corpus does not have it."
        fix = "Return the path and lines of each result, or its text as in the corpus."
    elif (number := _of(lost, HitClass.OPAQUE)) * 2 > len(lost):
        counted = _counted(number, len(rows), "have")
        said = f"{counted} only an id, such as {name}, and the targets are locations."
        fix = "Return the path and lines or the text of each result, or write a map rule."
    else:
        known = _shown(corpus.paths()[0]) if len(corpus) else "nothing"
        counted = _counted(len(lost), len(rows), "are")
        said = f"{counted} not in the corpus, such as {name}. The corpus has {known}."
        fix = "Index the corpus of the suite, or change the suite's corpus to the documents of the index."
    return MappingProblem((said, fix))


def _of(rows: pl.DataFrame, hit_class: HitClass) -> int:
    return rows.filter(pl.col("class") == hit_class.value).height


def _whole_documents(
    rows: pl.DataFrame, targets: pl.DataFrame, *, reached: bool, match_path: bool
) -> MappingProblem | None:
    """Find whole documents where the targets are sections or ranges of the same documents."""
    ranges = targets.filter(pl.col("start").is_not_null() & pl.col("path").is_not_null())
    if match_path or ranges.is_empty():
        return None
    whole = rows.filter(
        pl.coalesce("path", "id").is_in(ranges["path"].unique().implode())
        & pl.col("start").is_null()
        & pl.col("class").is_in([HitClass.FILE.value, HitClass.OPAQUE.value]).fill_null(value=True)
    )
    if len(whole) * SHARE < len(rows) or (reached and _reaches_ranges(rows, ranges)):
        return None
    example = _shown(str(whole.select(pl.coalesce("path", "id")).item(0, 0)))
    said = (
        f"{_counted(len(whole), len(rows), 'name')} a document without a section or lines, "
        f"such as {example}, "
        "and the targets are sections or ranges of these documents."
    )
    return MappingProblem((said,), ("match: path",))


def _reaches_ranges(rows: pl.DataFrame, ranges: pl.DataFrame) -> bool:
    """Check whether a hit shares a line with a target of its query."""
    wanted = ranges.select("query", "path", first="start", last="end")
    placed = rows.filter(pl.col("start").is_not_null()).select("query", "path", "start", "end")
    both = placed.join(wanted, on=["query", "path"])
    return both.filter((pl.col("start") <= pl.col("last")) & (pl.col("first") <= pl.col("end"))).height > 0


# ---- ids and paths that are compared as written


def _as_written(
    rows: pl.DataFrame, targets: pl.DataFrame, map_rules: Sequence[MapRule], deadline: float
) -> MappingProblem | None:
    """Find the rule that makes judged names of the names of hits; None if a hit has a judged name."""
    judged = targets.select(pl.coalesce("path", "id")).to_series().drop_nulls().unique().sort()
    known = dict.fromkeys(map(str, judged))
    # Names as they are after the map rules there are.
    names = _names(rows.with_columns(name=pl.coalesce("path", "id")))
    if not names or any(name in known for name in names):
        return None
    rule = _id_rule(names, known, deadline, pages=PAGES not in map_rules)
    return None if rule is None else _proposal(rule, len(rows), map_rules, None, rows)


def _id_rule(
    names: Mapping[str, int], known: Mapping[str, None], deadline: float, *, pages: bool = False
) -> _Rule | None:
    """Return the rule that makes known ids of most names.

    A rule counts only if nearly all names have its form and known ids do not.
    """
    found: list[_Rule | None] = [_numbers(names, known)]
    if pages:
        found.append(_id_pages(names, known, deadline))
    for pattern, template in _affix_rules(names, known, deadline):
        found.append(_tried(MapRule(pattern, template), names, known))
    # Of rules that make as many ids, the one with fewer wildcards says more.
    return max(
        (one for one in found if one is not None),
        key=lambda one: (one.number, -one.rules[0].pattern.count("*") - one.rules[0].pattern.count("[")),
        default=None,
    )


def _id_pages(names: Mapping[str, int], known: Mapping[str, None], deadline: float) -> _Rule | None:
    """Find judged documents by the URLs of their pages."""
    documents = [one for one in known if not _is_url(one)]
    finder = PageFinder(documents)
    made: dict[str, str] = {}
    for name in _until(names, deadline):
        page = finder.find(name)
        if page is None or (page.url_prefix and page.document_prefix):
            continue
        extension = page.document.rpartition("/")[2].rpartition(".")[2]
        if _is_url(name) or ("." in page.document and not _bare(name).endswith(f".{extension}")):
            made[name] = page.document
    alike = sum(number for name, number in names.items() if name in made or _is_url(name))
    if not made or alike < _CLEAR * sum(names.values()):
        return None
    name = _example(made, names)
    return _Rule((PAGES,), sum(names[one] for one in made), name, made[name])


def _is_url(name: str) -> bool:
    bare = name.partition("#")[0].partition("?")[0]
    return bare.startswith("/") or "://" in bare or bare.endswith(("/", ".html", ".htm"))


def _numbers(names: Mapping[str, int], known: Mapping[str, None]) -> _Rule | None:
    """Find numbers that are written in two ways: 7, 007 and 7.0."""
    known_by_number = {_number(name): name for name in known}
    known_by_number.pop(None, None)
    made = {name: known_by_number[one] for name in names if (one := _number(name)) in known_by_number}
    alike = sum(number for name, number in names.items() if _number(name) is not None)
    if not made or alike < _CLEAR * sum(names.values()):
        return None
    name = _example(made, names)
    number = sum(names[one] for one in made)
    if all(known_number == _number(known_number) for known_number in made.values()):
        return _Rule((MapRule(r"0*([0-9]+)(?:\.0+)?", r"\1"),), number, name, made[name])
    widths = {len(one) for one in made.values()}
    if len(widths) == 1 and all(one == _number(one) for one in made):
        width = widths.pop()
        lengths = sorted({len(one) for one in made})
        rules = tuple(MapRule(f"([0-9]{{{one}}})", f"{'0' * (width - one)}\\g<1>") for one in lengths)
        return _Rule(rules, number, name, made[name])
    return None


def _number(name: str) -> str | None:
    found = _NUMBER.fullmatch(name)
    return None if found is None else found[1]


def _affix_rules(
    names: Mapping[str, int], known: Mapping[str, None], deadline: float
) -> Iterator[tuple[str, str]]:
    """Suggest rules that remove or add text before and after an id."""
    around: Counter[tuple[str, str]] = Counter()
    for name in _until(names, deadline):
        if (part := _longest_part(name, known)) is not None:
            around[part] += names[name]
    patterns: Counter[str] = Counter()
    for (before, behind), number in around.items():
        for start in {_literal(before), _any_before(before)}:
            for end in {_literal(behind), _any_behind(behind)}:
                patterns[f"{start}(.+){end}"] += number
    for pattern, _ in sorted(patterns.items(), key=lambda one: (-one[1], one[0]))[:_MOST_RULES]:
        yield pattern, r"\1"
    beside: Counter[tuple[str, str]] = Counter()
    for number, name in enumerate(_until(known, deadline)):
        if number == MOST_NAMES:
            break
        if (part := _longest_part(name, names)) is not None:
            beside[part] += 1
    for (before, behind), _ in beside.most_common(_MOST_RULES):
        yield "(.+)", f"{_template(before)}\\1{_template(behind)}"
    before, behind = _affixes(names)
    known_before, known_behind = _affixes(known)
    if (before or behind) and (known_before or known_behind):
        yield (
            f"{_literal(before)}(.+){_literal(behind)}",
            f"{_template(known_before)}\\1{_template(known_behind)}",
        )


def _longest_part(name: str, known: Mapping[str, object]) -> tuple[str, str] | None:
    """Return what is before and behind the longest part of a name that is known; parts end where words do."""
    marks = [0, *(at for at in range(1, len(name)) if _is_mark(name, at)), len(name)]
    if len(marks) > _MOST_MARKS:
        marks = marks[: _MOST_MARKS // 2] + marks[-_MOST_MARKS // 2 :]
    parts = [
        (end - start, start, end)
        for one, start in enumerate(marks)
        for end in marks[one + 1 :]
        if end - start < len(name) and name[start:end] in known
    ]
    if not parts:
        return None
    _, start, end = max(parts)
    return name[:start], name[end:]


def _is_mark(name: str, at: int) -> bool:
    left, right = name[at - 1], name[at]
    return not (left.isalpha() and right.isalpha()) and not (left.isdigit() and right.isdigit())


def _any_before(text: str) -> str:
    """Generalize what is before ids: any folder."""
    return ".*/" if text.endswith("/") else _literal(text)


def _any_behind(text: str) -> str:
    """Generalize what is behind ids: any fragment, any number."""
    if text.startswith("#"):
        return "#.*"
    return _DIGITS.sub(lambda _: "[0-9]+", _literal(text))


def _affixes(names: Iterable[str]) -> tuple[str, str]:
    """Return what all names begin and end with, up to the end of a word."""
    some = list(names)
    before = _beginning(some)
    return before, _beginning([name[len(before) :][::-1] for name in some])[::-1]


def _beginning(names: Sequence[str]) -> str:
    """Return what all names begin with, up to the end of a word."""
    first, last = min(names, default=""), max(names, default="")
    size = next((at for at, mark in enumerate(first) if at >= len(last) or last[at] != mark), len(first))
    while size and any(len(name) > size and not _is_mark(name, size) for name in names):
        size -= 1
    return first[:size]


def _tried(rule: MapRule, names: Mapping[str, int], known: Mapping[str, None]) -> _Rule | None:
    """Return a rule if nearly all names have its form, known ids do not, and it makes known ids of some."""
    pattern = re.compile(rule.pattern)
    made = {name: found.expand(rule.template) for name in names if (found := pattern.fullmatch(name))}
    if sum(names[name] for name in made) < _CLEAR * sum(names.values()):
        return None
    equal = {name: one for name, one in made.items() if one in known}
    if not equal:
        return None
    some = list(known)[:MOST_NAMES]
    adds = rule.pattern == "(.+)"
    if adds:
        # What the rule adds is part of judged ids, and of no name.
        form = re.compile(re.escape(rule.template.replace("\\\\", "\\")).replace(re.escape(r"\1"), ".+"))
        if sum(1 for one in some if form.fullmatch(one)) < _CLEAR * len(some) or any(
            map(form.fullmatch, names)
        ):
            return None
    elif sum(1 for one in some if pattern.fullmatch(one)) * 10 > len(some):
        return None
    if not _is_evidence(rule, made, equal, some):
        return None
    name = _example(equal, names)
    return _Rule((rule,), sum(names[one] for one in equal), name, equal[name])


def _is_evidence(
    rule: MapRule, made: Mapping[str, str], equal: Mapping[str, str], known: Sequence[str]
) -> bool:
    """Check that equal ids are no accident: another form than judged ids, or several of them."""
    other_form = not {_form(name) for name in equal} & set(map(_form, known))
    replaces = rule.pattern != "(.+)" and rule.template != r"\1"
    distinct = len(set(equal.values()))
    if rule.pattern.startswith(".*/") and distinct < 2 and any("." in one for one in known):
        # Documents of one name are in many folders.
        return False
    if replaces:
        least = 2 if other_form else max(3, min(len(known), len(made)) / 2)
        return distinct >= least
    if not other_form:
        return distinct >= 2 and len(made) >= 3
    around = f"{rule.pattern}{rule.template}".replace("(.+)", "").replace(r"\1", "").replace("[0-9]+", "")
    structural = any(mark in around for mark in "/:#.")
    numbers = all(one.isdigit() for one in known)
    return structural or numbers or distinct >= 2 or len(made) >= 3


def _form(name: str) -> str:
    """Return the form of an id: letters as a, digits as 0, and what is between them.

    >>> _form("sku-12"), _form("x17"), _form("api-keys.md")
    ('a-0', 'a0', 'a.a')
    """
    return _DIGITS.sub("0", _WORDS.sub("a", name))


# ---- sentences and lines


def _proposal(
    rule: _Rule, total: int, map_rules: Sequence[MapRule], corpus: Corpus | None, lost: pl.DataFrame
) -> MappingProblem:
    """Return the problem with the line that locates the hits."""
    example = f"{_shown(rule.name)} → {_shown(rule.document)}"
    if rule.is_pages:
        noun = "a page" if rule.number == 1 else "pages"
        said = f"{_counted(rule.number, total, 'look')} like {noun} of a site: {example}."
    elif corpus is None or corpus.records:
        said = f"{_counted(rule.number, total, 'have')} another form than the ids of the suite: {example}."
    else:
        said = f"{_counted(rule.number, total, 'have')} paths that the corpus does not have: {example}."
    if not map_rules:
        return MappingProblem((said,), (_line(rule.rules),))
    # A rule that matches first and locates nothing would hide a rule behind it.
    existing = MapRules(map_rules, () if corpus is None else corpus.paths())
    hidden = any(existing.location(name) is not None for name in _names(lost))
    rules = (*rule.rules, *map_rules) if hidden else (*map_rules, *rule.rules)
    return MappingProblem((said, "The line replaces the suite's map."), (_line(rules),))


def _line(rules: Sequence[MapRule]) -> str:
    """Write map rules as a line of a suite.

    >>> print(_line([MapRule("docs/(.*)", r"\\1")]), _line([PAGES]))
    map: [{from: 'docs/(.*)', to: '\\1'}] map: pages
    """
    if list(rules) == [PAGES]:
        return "map: pages"
    written = (
        "pages" if rule == PAGES else f"{{from: {_quoted(rule.pattern)}, to: {_quoted(rule.template)}}}"
        for rule in rules
    )
    return f"map: [{', '.join(written)}]"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _literal(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _template(text: str) -> str:
    return text.replace("\\", "\\\\")


def _counted(number: int, total: int, verb: str) -> str:
    """Return how many results do something.

    >>> _counted(1, 3, "have"), _counted(2, 3, "name")
    ('1 of 3 results has', '2 of 3 results name')
    """
    singular = {"have": "has", "are": "is"}.get(verb, f"{verb}s")
    return f"{number:,} of {many(total, 'result')} {singular if number == 1 else verb}"


def _shown(name: str) -> str:
    name = escaped(name)
    return name if len(name) <= _SHOWN else f"{name[: _SHOWN - 1]}…"


def _names(rows: pl.DataFrame) -> dict[str, int]:
    """Count hits by name, the most frequent names first; names that no line can hold are left out."""
    counted = rows.group_by("name").len().drop_nulls().sort("len", "name", descending=[True, False])
    pairs = counted.head(MOST_NAMES).iter_rows()
    return {name: number for name, number in pairs if name and name.isprintable()}


def _example(found: Mapping[str, object], names: Mapping[str, int]) -> str:
    """Return the name to show: one with a fragment if there is one, then the most frequent."""
    return min(found, key=lambda name: ("#" not in name, -names[name], name))


def _until(names: Iterable[str], deadline: float) -> Iterator[str]:
    """Go through names while there is time."""
    for name in names:
        if process_time() > deadline:
            return
        yield name
