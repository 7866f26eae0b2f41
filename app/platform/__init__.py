"""The platform: feature flags, the audit log and saved views."""
