"""Checks of the project setup, each with a fix."""
