"""Why queries fell short: what is asked further to find out, and the facts that come of it."""
