"""The foundation: errors, the clock, cryptography, addresses, networks and outbound HTTP."""
