"""The platform: feature flags, the audit log and webhooks."""
