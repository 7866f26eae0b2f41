"""Transfers: files of records that leave and come in."""
