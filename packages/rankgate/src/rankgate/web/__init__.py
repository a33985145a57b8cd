"""Pages in the browser: a small server for this machine alone, and what it shows."""
