"""The schema of the database: its histories, their versions, and the locks of an upgrade."""
