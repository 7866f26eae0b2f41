"""What everything else stands on: errors, the clock, cryptography, addresses, networks, calls to other hosts."""
