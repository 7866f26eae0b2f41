"""The wire: shapes of bodies, queries and answers. Nothing is imported here."""
