"""Measurements: what a request costs, against a bare route and against what one would write by hand."""
