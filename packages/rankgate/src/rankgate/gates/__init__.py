"""Gates: the only place that says pass or fail."""
