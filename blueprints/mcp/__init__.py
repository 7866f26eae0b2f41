"""The Model Context Protocol: the operations of records and knowledge, for the agents of other people."""
