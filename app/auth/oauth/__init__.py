"""Sign-in through github, google and microsoft: who the provider says it is, and whose account that is here."""
