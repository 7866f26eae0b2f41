"""Agents, and the deliverables they are asked for."""
