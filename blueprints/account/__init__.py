"""The account pages: HTML for people, without scripts of need, over the functions that the JSON routes call."""
