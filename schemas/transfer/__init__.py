"""Files of records that leave and come in."""
