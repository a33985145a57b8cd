"""One judge's session: what is shown next, what is recorded, and how far it is; by page or by terminal."""
