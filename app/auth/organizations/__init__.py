"""Organizations, their members and invitations."""
