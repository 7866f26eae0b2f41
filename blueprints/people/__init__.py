"""The routes of accounts: sign-in, addresses, factors, invitations, keys."""
