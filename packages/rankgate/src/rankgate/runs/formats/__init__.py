"""The formats that a run comes in, one file a format; `load` finds out which."""
