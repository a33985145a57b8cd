"""The HTML report: what it shows (`model.py`), how that is gathered, and the page itself (`assets/`)."""
