"""The first screen of a report as data: terminal, comment, page and `view` are laid out from it."""
