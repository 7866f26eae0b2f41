"""The log of changes: what is written down of each, in which order, and who is told."""
