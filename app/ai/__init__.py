"""Chats and their answers: which provider gives one, how it is called, what is tried next, and what is kept of it."""
