"""What the routes of accounts, sign-ins and keys read and answer."""
