"""HTTP: routes, their documentation, and nothing that decides. Nothing is imported here."""
