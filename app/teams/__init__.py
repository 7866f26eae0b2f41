"""Microsoft Teams: what comes from it, what goes to it, and who its people are here."""
