from __future__ import annotations

from dataclasses import dataclass

import rankgate as rg


@dataclass(frozen=True)
class FaqOptions:
    mark: str = "Q:"


def open_faq(source: rg.CorpusSource, room: rg.OpenContext) -> rg.Corpus:
    """Open a text file of questions, each with its answer below it; the question is the id."""
    options = rg.read_options(FaqOptions, source.options, f"faq {source.place}")
    path = room.here / source.place
    if not path.resolve().is_relative_to(room.root.resolve()) or not path.is_file():
        raise rg.InputError(rg.Problem(f"faq {source.place}", "no such file", "a file inside the project"))
    records: dict[str, str] = {}
    for block in path.read_text(encoding="utf-8").split(options.mark)[1:]:
        question, _, answer = block.strip().partition("\n")
        records[question.strip()] = f"{question.strip()}\n{answer.strip()}"
    return rg.RecordsCorpus.of(records, str(path))
