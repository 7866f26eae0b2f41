"""Operations: what callers do with records, whoever binds them: routes, batches, the description, clients."""
