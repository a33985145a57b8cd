"""Suites drawn from what people searched for: a log is counted, and some of its queries are drawn."""
