"""Signing in: by password, provider, passkey and second factor."""
