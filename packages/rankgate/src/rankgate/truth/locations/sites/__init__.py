"""From the address of a page of a web site to a file and lines, and back, by the site's own configuration."""
