"""Companies, the people in them, and the deals being made."""
