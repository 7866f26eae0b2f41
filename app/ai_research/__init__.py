"""Research projects, their sources and findings."""
