"""Passkeys (WebAuthn level 3): registering, signing in, and keeping them."""
