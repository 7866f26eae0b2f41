"""Feature flags, the audit log and what operators run the service by."""
