"""Routes of the companion application."""
