"""Knowledge bases: their entries, the passages they are cut into, and searches over them."""
