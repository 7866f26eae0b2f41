"""The engine: models as declarations, and policy, reads, writes, hooks and audit for each. It knows no domain."""
