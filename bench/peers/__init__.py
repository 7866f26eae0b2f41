"""Rowgate beside its peers: the same contacts, asked for in the same ways, measured in turns on one machine."""
