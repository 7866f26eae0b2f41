"""Second factors by codes: time-based ones (RFC 6238), and recovery codes for who has lost the device."""
