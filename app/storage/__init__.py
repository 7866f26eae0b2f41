"""Uploaded files: their rows, where their bytes lie, and documents made of them."""
