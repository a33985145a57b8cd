"""Hits that nobody has judged, on both sides of a comparison: how many there are, and what they may hide.

A hit without a judgment gains nothing. What it would gain if somebody judged it is not known, but lies within
bounds: those of all gradings that the suite's scale allows.
"""
