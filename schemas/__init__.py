"""Schemas of bodies, queries and answers."""
