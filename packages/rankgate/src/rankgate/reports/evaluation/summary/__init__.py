"""The first screen of a report as data: terminal, comment and page are laid out from it."""
