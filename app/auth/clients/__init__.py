"""Programs of others that people connect to their accounts (OAuth 2.1): who they are, consent, and their tokens."""
