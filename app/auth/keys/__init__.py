"""API keys: issue, rotation, revocation, use."""
