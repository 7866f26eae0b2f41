"""Conduit, the application of RealWorld, as a plugin of Rowgate: articles, their authors, and who follows whom."""
