"""What Microsoft Teams and the Teams tab call."""
