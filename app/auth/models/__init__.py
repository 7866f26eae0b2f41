"""Identity, credentials, sessions, keys, organizations and teams."""
