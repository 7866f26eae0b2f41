"""Declarations: records, fields, their kinds, indexes and relations, and who may do what with which rows."""
