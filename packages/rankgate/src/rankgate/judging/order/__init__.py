"""Which unjudged hit to judge next, so that a verdict is settled with few judgments."""
