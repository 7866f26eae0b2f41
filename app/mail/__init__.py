"""Mail: templates, the outbox, and delivery over SMTP."""
