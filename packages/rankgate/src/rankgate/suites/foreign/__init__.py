"""Suites in the formats of other tools, one file a format, each named by the name its users know.

The names on the command line say what a file looks like: ``cells`` is octocode's, ``ratings`` BuildBuddy's,
``expected`` and ``labels`` are ids under such keys. What their readers and writers share: `case_collector`,
`grades`, `csv_rows`, `losses`.
"""
