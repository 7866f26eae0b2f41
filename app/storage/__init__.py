"""Storage: uploads, the object store, and documents made of uploads."""
