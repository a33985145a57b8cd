"""What matches the names that a map rule is for, so that a pattern and a site are used alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.model.suite import SiteRule
from rankgate.suites.native.settings import compiled

if TYPE_CHECKING:
    import re

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.suite import MapRule
    from rankgate.truth.locations.sites.site import PublishedSite


def opened_rule(rule: MapRule, where: str, corpus: Corpus | None) -> re.Pattern[str] | PublishedSite:
    """Return what a rule's names are matched by: its pattern, or the pages of its site.

    Raises:
        InputError: for a pattern or a template that cannot be used, or a site without its configuration.
    """
    if not isinstance(rule, SiteRule):
        return compiled(rule, where)
    if corpus is None or corpus.records:
        expected = "a corpus of files, which the pages of a site are made of"
        found = f"{rule.pattern}, and no such corpus"
        raise InputError(Code.NO_CORPUS(where, found, expected, "name the suite's corpus"))
    # Only a suite that names a site needs to read the configurations of sites.
    from rankgate.truth.locations.sites.site import PublishedSite

    return PublishedSite.of(rule.pattern, corpus, rule.template)
