"""An oracle of verdicts: whole states are drawn, and what rankgate says of each is compared with it.

A state (`state`) is a suite or two, a corpus, one to three systems, and what was kept of earlier commands. It
is drawn from a seed (`drawing`) with a history (`histories`) of commands, edits and sabotage, and written
down as files (`project`). At its end a verdict is asked by the command line, by pytest and by Python
(`ways`). What it must be is computed by `oracle`, which imports nothing of rankgate.
"""
