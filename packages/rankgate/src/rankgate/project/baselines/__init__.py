"""Baselines of a project: where they are kept, how a run is held against one, where their hits are today."""
