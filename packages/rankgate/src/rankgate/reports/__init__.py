"""Reports: what is said is worked out once, and a renderer only lays it out."""
