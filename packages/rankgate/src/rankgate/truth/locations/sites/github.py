"""How GitHub shows the files of a repository: an address has a branch or a commit, then the path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankgate.outline.anchors.commonmark import github_anchors
from rankgate.outline.anchors.rst import rst_anchors
from rankgate.truth.locations.sites.files import SiteRules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.outline.anchors.page import PageAnchor
    from rankgate.truth.locations.sites.files import SiteFiles

LINES = re.compile(r"L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?")
"""An anchor that names lines."""
_README = re.compile(r"(?:^|/)README(?:\.(?:md|rst|markdown|txt))?\Z", re.IGNORECASE)
_HTML = re.compile(r"\.html?\Z")


def github_rules(files: SiteFiles, _given: str) -> SiteRules:
    """Make the rules of GitHub, which need no configuration."""
    pages: dict[str, str] = {}
    for path in files.corpus.paths():
        pages.setdefault(_HTML.sub("", path), path)
        if _README.search(path):
            # A folder is shown with its README.
            pages.setdefault(_README.sub("", path), path)

    def anchors(path: str) -> Sequence[PageAnchor]:
        if path.endswith((".md", ".markdown", ".mdx")):
            return github_anchors(files.corpus.text(path))
        return rst_anchors(path, files.corpus.text(path)) if path.endswith((".rst", ".rest")) else ()

    return SiteRules("", pages, anchors, "")
