"""Queries: what parameters and bodies ask of lists."""
