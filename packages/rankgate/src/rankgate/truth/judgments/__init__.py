"""Judgments: the table that scoring reads, its folder, and other tools' formats. No corpus is needed."""
