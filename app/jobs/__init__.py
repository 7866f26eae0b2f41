"""Work that outlives a request: the queue, what is run from it, and the worker."""
