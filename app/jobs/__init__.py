"""Background jobs: the queue, the registry and the worker."""
