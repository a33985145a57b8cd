"""The configuration of a small site of Sphinx."""

project = "Odd"
extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["part.txt"]
html_theme = "alabaster"
html_baseurl = "https://odd.example/en/latest/"
