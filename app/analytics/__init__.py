"""Events, reports and what is counted."""
