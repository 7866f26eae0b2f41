"""The test kit: what the tests of a domain need around it, for those of the product and of plugins."""
