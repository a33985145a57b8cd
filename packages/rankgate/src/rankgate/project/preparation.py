"""Systems that must be prepared: an index that a program builds of the corpus, a server that is started.

``prepare`` runs once for what it is made of: its words, the programs and variables that they name, the files
of `depends`, and the corpus. ``start`` runs while the system is asked. The output of both is kept, without
secrets, in ``.rankgate/prepared``.

A ``prepare`` that names ``{index}`` writes to a folder which is named by all of this, so that systems that
need the same index share it, and those that need others keep theirs.
"""

from __future__ import annotations

import json
import secrets
import shutil
import time
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rankgate.errors import Code, InputError
from rankgate.io.atomic import replacing
from rankgate.io.digests import ContentsReader
from rankgate.io.file_names import file_name
from rankgate.io.text import made_inside
from rankgate.model import fingerprint
from rankgate.plugins import SystemIndex
from rankgate.project.configuration import HOME
from rankgate.project.contents import add_preparation, depended_on
from rankgate.runs.store.run_folder import locked
from rankgate.systems.adapter.launching import Launch
from rankgate.systems.adapter.logged import LoggedProgram, Readiness
from rankgate.systems.adapter.variables import strings_in
from rankgate.systems.preparation import CORPUS, INDEX
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankgate.corpora.corpus import Corpus
    from rankgate.project.configuration import SystemEntry
    from rankgate.systems.adapter.launching import Env

T = TypeVar("T")
_RECORD = "prepared.json"
_ASIDE = "building-"


def needs_corpus(entry: SystemEntry) -> bool:
    """Return whether a system is made of the suite's corpus: it is prepared, or names ``{corpus}``."""
    texts = strings_in([entry.target, dict(entry.options), list(entry.preparation.start)])
    return bool(entry.preparation.prepare) or any(CORPUS in text for _, text in texts)


def with_index(found: T, folder: str) -> T:
    """Return a JSON-like value with ``{index}`` replaced in all its strings.

    >>> with_index({"command": ["find", "{index}/words"], "k": 3}, "kept")
    {'command': ['find', 'kept/words'], 'k': 3}
    """
    filled: Any = found
    if isinstance(found, str):
        filled = found.replace(INDEX, folder)
    elif isinstance(found, Mapping):
        filled = {name: with_index(value, folder) for name, value in found.items()}
    elif isinstance(found, (list, tuple)):
        filled = type(found)(with_index(one, folder) for one in found)
    return cast("T", filled)


def prepared_index(entry: SystemEntry, root: Path, corpus: Corpus | None) -> SystemIndex | None:
    """Return the index that `prepare` of a system makes; None where it has no ``{index}``.

    Args:
        entry: The system.
        root: The folder of the configuration.
        corpus: The suite's.
    """
    prepared = Prepared(entry, root, cast("Env", entry.options.get("env", ())))
    if not prepared.keeps_index:
        return None
    folder = prepared.index_folder(None if corpus is None else corpus.fingerprint)
    seconds = _record(folder.parent / _RECORD).get("seconds")
    known = seconds if isinstance(seconds, float) else None
    return SystemIndex(f"prepared/{folder.parent.name}", str(folder), known)


def is_prepared(index: SystemIndex) -> bool:
    """Return whether an index of `prepared_index` was built to its end."""
    folder = Path(index.folder or "")
    return folder.is_dir() and bool(_record(folder.parent / _RECORD))


@dataclass(frozen=True, slots=True)
class ReadyFolders:
    """The folders that a prepared system may name."""

    corpus: str | None = None
    """That of the suite's corpus; None where nothing needs it."""
    index: Path | None = None
    """That of ``{index}``; None where `prepare` does not name it."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a system is prepared with."""

    entry: SystemEntry
    """The system, with what must be run before it is asked."""
    root: Path
    """The project's folder, in which programs run."""
    env: Env = ()
    """Variables that the programs need."""

    @contextmanager
    def running(self, open_corpus: Callable[[], Corpus | None]) -> Iterator[ReadyFolders]:
        """Prepare the system if it is not, and keep what must run running; return the folders it may name.

        Args:
            open_corpus: Opens the suite's corpus; what is indexed must be the same before and after.

        Raises:
            InputError: for a placeholder that nothing fills, and a corpus that changed under the program.
            SystemFailedError: where a program fails, or the server is not ready in time.
        """
        wanted = self.entry.preparation
        corpus = open_corpus() if needs_corpus(self.entry) else None
        launch = Launch(self.entry.name, self._folder(corpus))
        content = None if corpus is None else corpus.fingerprint
        index = self.index_folder(content) if self.keeps_index else None
        with ExitStack() as stack:
            if wanted.prepare:
                self._prepare(launch, content, index, open_corpus)
            if wanted.start:
                started = self if index is None else self._with_index(str(index))
                stack.enter_context(started._started(launch))  # noqa: SLF001 - the same class
            yield ReadyFolders(launch.corpus, index)

    def is_done(self, open_corpus: Callable[[], Corpus | None]) -> bool:
        """Check whether what `prepare` makes is there for the corpus of today; nothing is run."""
        content = self._content(open_corpus)
        index = self.index_folder(content) if self.keeps_index else None
        made = _record(self._record_file(content)).get("key") == self._key(content)
        return made and (index is None or index.is_dir())

    def record_file(self, open_corpus: Callable[[], Corpus | None]) -> Path:
        """Return the file that says for which corpus `prepare` was run; without it, it is run again."""
        return self._record_file(self._content(open_corpus))

    def _content(self, open_corpus: Callable[[], Corpus | None]) -> str | None:
        corpus = open_corpus() if needs_corpus(self.entry) else None
        return None if corpus is None else corpus.fingerprint

    def _record_file(self, content: str | None) -> Path:
        return (self.index_folder(content).parent if self.keeps_index else self.folder) / _RECORD

    @property
    def keeps_index(self) -> bool:
        """True where `prepare` writes to a folder of its own, ``{index}``."""
        return any(INDEX in text for _, text in strings_in(self._words))

    @property
    def _words(self) -> list[object]:
        return [list(self.entry.preparation.prepare), dict(self.env) if isinstance(self.env, Mapping) else []]

    def index_folder(self, corpus: str | None) -> Path:
        """Return the folder of ``{index}`` for a corpus, by its fingerprint."""
        return self.root.resolve() / HOME / "prepared" / "indexes" / self._key(corpus)[:16] / "index"

    def _with_index(self, index: str) -> Prepared:
        wanted = self.entry.preparation
        filled = replace(
            wanted, prepare=with_index(wanted.prepare, index), start=with_index(wanted.start, index)
        )
        return replace(self, entry=replace(self.entry, preparation=filled), env=with_index(self.env, index))

    def _folder(self, corpus: Corpus | None) -> str | None:
        """Return the folder of the corpus, which one that the configuration names must be."""
        own, given = getattr(corpus, "folder", None), self.entry.options.get("corpus_folder")
        if given is not None and own is not None and (self.root / str(given)).resolve() != own:
            found = f"{given!r}, and the suite's corpus is {shortest(own)}"
            raise InputError(
                Code.CONFLICT(f"{self.entry.name}.corpus_folder", found, "one corpus", "take it out")
            )
        return str(own or self.root / str(given)) if own or given else None

    def _prepare(
        self,
        launch: Launch,
        content: str | None,
        index: Path | None,
        open_corpus: Callable[[], Corpus | None],
    ) -> None:
        folder, key = self.folder if index is None else index.parent, self._key(content)
        with locked(made_inside(folder, self.root)):
            record = folder / _RECORD
            if _record(record).get("key") == key and (index is None or index.is_dir()):
                return
            # Whatever happens to it, what was prepared before is not there any more.
            record.unlink(missing_ok=True)
            began = time.monotonic()
            if index is None:
                self._run_prepare(launch, content, folder, open_corpus)
            else:
                self._fill(launch, content, index, open_corpus)
            made = {"key": key, "corpus": content, "seconds": time.monotonic() - began}
            with replacing(record) as aside:
                aside.write_text(json.dumps(made), encoding="utf-8", newline="\n")

    def _fill(
        self, launch: Launch, content: str | None, index: Path, open_corpus: Callable[[], Corpus | None]
    ) -> None:
        """Have an index built aside, and give it its name.

        Who is killed leaves a program that goes on writing: aside it does no harm.
        """
        for left in (index, *index.parent.glob(f"{_ASIDE}*")):
            shutil.rmtree(left, ignore_errors=True)
        aside = index.with_name(_ASIDE + secrets.token_hex(4))
        aside.mkdir()
        self._with_index(str(aside))._run_prepare(launch, content, index.parent, open_corpus)  # noqa: SLF001
        if not any(aside.iterdir()):
            where = f"{self.entry.name}.prepare"
            raise InputError(Code.NO_INDEX(where, f"nothing in {INDEX}", "an index in that folder"))
        aside.rename(index)

    def _run_prepare(
        self, launch: Launch, content: str | None, folder: Path, open_corpus: Callable[[], Corpus | None]
    ) -> None:
        """Run the program to its end; its output is kept in a folder, and the corpus stays what it was."""
        wanted, where = self.entry.preparation, f"{self.entry.name}.prepare"
        command, env = launch.command(wanted.prepare, "prepare"), launch.environment(self.env)
        with LoggedProgram(command, self.root, env, folder / "prepare.log", where) as program:
            program.finish(wanted.prepare_timeout)
        again = open_corpus()
        if content != (None if again is None else again.fingerprint):
            fix = "have prepare write outside the corpus, and let nothing else change it"
            raise InputError(
                Code.CHANGED_MEANWHILE(where, "a corpus that changed meanwhile", "the suite's corpus", fix)
            )

    @contextmanager
    def _started(self, launch: Launch) -> Iterator[None]:
        wanted, where = self.entry.preparation, f"{self.entry.name}.start"
        (text,) = launch.command((wanted.ready,), "ready")
        ready = Readiness(text, f"{self.entry.name}.ready")
        command, env = launch.command(wanted.start, "start"), launch.environment(self.env)
        ready.check_free()
        made_inside(self.folder, self.root)
        program = LoggedProgram(command, self.root, env, self.folder / "start.log", where)
        ready.watch(program)
        with program:
            ready.wait(program, wanted.ready_timeout)
            yield

    @property
    def folder(self) -> Path:
        """Where logs are kept, and what was prepared."""
        return self.root / HOME / "prepared" / file_name(self.entry.name)

    def _key(self, corpus: str | None) -> str:
        """Return what the preparation is made of, in one word."""
        reader = ContentsReader(self.root)
        add_preparation(reader, "prepare", self.entry.preparation.prepare, self.env)
        for path in depended_on(self.entry, self.root):
            reader.add_files(path)
        return fingerprint([corpus, [list(one) for one in sorted(reader.contents.items())]])


def _record(file: Path) -> Mapping[str, object]:
    """Read what was noted when something was prepared to its end; nothing where that is not there."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
