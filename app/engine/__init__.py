"""Models as declarations, and what every model gets: policy, reads, writes, hooks, audit. It knows no domain."""
