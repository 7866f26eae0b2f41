"""Records that are shown to others by their own."""
