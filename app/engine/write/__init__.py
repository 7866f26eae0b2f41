"""Writes: one plan for one record or many, the unit of work that they belong to, and what they are judged by."""
