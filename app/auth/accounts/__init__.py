"""Accounts: users, their addresses and passwords, proofs, recovery, deletion."""
