"""What every model gets, from its declaration to reads, writes and transfers. It knows no domain."""
