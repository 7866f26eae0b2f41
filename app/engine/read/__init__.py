"""Reads: statements compiled once for each model and kind of reader, and the queries that are made of them."""
