"""Systems that must be prepared: an index that a program builds of the corpus, a server that is started.

``prepare`` runs once for what it is made of: its words, the programs and variables that they name, the files
of `depends`, and the corpus. ``start`` runs while the system is asked. The output of both is kept, without
secrets, in ``.rankgate/prepared``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.evaluation.configuration import HOME
from rankgate.evaluation.contents import add_preparation, depended_on
from rankgate.files.atomic import replacing
from rankgate.files.digests import ContentsReader
from rankgate.model.file_names import file_name
from rankgate.model.fingerprints import fingerprint
from rankgate.model.secrets import Mask
from rankgate.model.wording import shortest
from rankgate.runs.store.run_folder import locked
from rankgate.systems.adapter.launching import Launch, unset
from rankgate.systems.adapter.logged import LoggedProgram, Readiness
from rankgate.systems.adapter.secrets import named_strings
from rankgate.systems.preparation import CORPUS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.configuration import SystemEntry
    from rankgate.systems.adapter.launching import Env


def needs_corpus(entry: SystemEntry) -> bool:
    """Return whether a system is made of the suite's corpus: it is prepared, or names ``{corpus}``."""
    texts = named_strings([entry.target, dict(entry.options), list(entry.preparation.start)], "")
    return bool(entry.preparation.prepare) or any(CORPUS in text for _, _, text in texts)


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
    def running(self, open_corpus: Callable[[], Corpus | None]) -> Iterator[str | None]:
        """Prepare the system if it is not, and keep what must run running; give the folder of the corpus.

        Args:
            open_corpus: Opens the suite's corpus; what is indexed must be the same before and after.

        Raises:
            InputError: for a placeholder that nothing fills, and a corpus that changed under the program.
            SystemFailedError: where a program fails, or the server is not ready in time.
        """
        wanted = self.entry.preparation
        corpus = open_corpus() if needs_corpus(self.entry) else None
        launch = Launch(self.entry.name, Mask(), self._folder(corpus))
        launch.mask.add_command((*wanted.prepare, *wanted.start))
        with ExitStack() as stack:
            if wanted.prepare:
                self._prepare(launch, corpus, open_corpus)
            if wanted.start:
                stack.enter_context(self._started(launch))
            yield launch.corpus

    def _folder(self, corpus: Corpus | None) -> str | None:
        """Return the folder of the corpus, which one that the configuration names must be."""
        own, given = getattr(corpus, "folder", None), self.entry.options.get("corpus_folder")
        if given is not None and own is not None and (self.root / str(given)).resolve() != own:
            found = f"{given!r}, and the suite's corpus is {shortest(own)}"
            raise InputError(Problem(f"{self.entry.name}.corpus_folder", found, "one corpus", "take it out"))
        return str(own or self.root / str(given)) if own or given else None

    def _prepare(
        self, launch: Launch, corpus: Corpus | None, open_corpus: Callable[[], Corpus | None]
    ) -> None:
        wanted, where = self.entry.preparation, f"{self.entry.name}.prepare"
        command, env = launch.command(wanted.prepare, "prepare"), launch.environment(self.env)
        content = None if corpus is None else corpus.fingerprint
        with locked(self.folder):
            record, key = self.folder / "prepared.json", self._key(content)
            if _key_in(record) == key:
                return
            # Whatever happens to it, what was prepared before is not there any more.
            record.unlink(missing_ok=True)
            log = self.folder / "prepare.log"
            with LoggedProgram(command, self.root, env, log, launch.mask, where) as program:
                program.finish(wanted.prepare_timeout)
            again = open_corpus()
            if content != (None if again is None else again.fingerprint):
                fix = "have prepare write outside the corpus, and let nothing else change it"
                raise InputError(Problem(where, "a corpus that changed meanwhile", "the suite's corpus", fix))
            with replacing(record) as aside:
                aside.write_text(json.dumps({"key": key, "corpus": content}), encoding="utf-8")

    @contextmanager
    def _started(self, launch: Launch) -> Iterator[None]:
        wanted, where = self.entry.preparation, f"{self.entry.name}.start"
        (text,) = launch.command((wanted.ready,), "ready")
        ready = Readiness(text, f"{self.entry.name}.ready")
        command, env = launch.command(wanted.start, "start"), launch.environment(self.env)
        ready.check_free()
        self.folder.mkdir(parents=True, exist_ok=True)
        program = LoggedProgram(command, self.root, env, self.folder / "start.log", launch.mask, where)
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
        return fingerprint([corpus, [list(one) for one in sorted(reader.contents.known.items())]])


def read_env(found: object, where: str) -> Env:
    """Read variables that programs need: a list of names, or a table of values.

    Raises:
        InputError: for anything else, and for a name that is not set.
    """
    if isinstance(found, Mapping) and all(isinstance(value, str) for value in found.values()):
        return {str(name): str(value) for name, value in found.items()}
    if isinstance(found, (list, tuple)) and all(isinstance(name, str) for name in found):
        if problems := unset(tuple(found)):
            raise InputError(problems)
        return tuple(found)
    raise InputError(Problem(where, repr(found), "a list of names, or a table of texts"))


def _key_in(record: Path) -> str | None:
    try:
        found = json.loads(record.read_bytes())["key"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return found if isinstance(found, str) else None
