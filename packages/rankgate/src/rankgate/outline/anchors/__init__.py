"""The ids of a page of a web site, as the program that makes the site gives them, and their lines."""
