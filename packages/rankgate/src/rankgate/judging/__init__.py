"""Truth made by people and models: what is to be judged, in which order, by whom, and what comes of it."""
