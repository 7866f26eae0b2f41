"""The flask commands, one file each."""
