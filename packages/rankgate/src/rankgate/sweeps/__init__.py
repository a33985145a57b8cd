"""Sweeps: many variants of a system asked the same questions, and which of them is better."""
