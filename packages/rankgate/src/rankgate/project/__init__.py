"""A project: its configuration, its suites and systems opened, the answers it has, its suites kept up."""
