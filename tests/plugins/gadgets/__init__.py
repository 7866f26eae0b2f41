"""A domain of somebody else: gadgets and their parts, loaded by PLUGINS."""
