"""The pages of accounts, which work without script."""
