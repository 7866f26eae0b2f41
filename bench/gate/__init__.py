"""The gate: what an operation costs in figures that no machine changes, held against ``bench/gate.json``."""
