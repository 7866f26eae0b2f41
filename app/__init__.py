"""Rowgate's decisions: what is stored, who may do what, and how it happens. Nothing is imported here."""
