"""HTTP as all routes share it: bodies, replies, conditions, keys of idempotency, declarations of routes."""
