"""Helpdesk: tickets, their comments, and how soon they are to be solved, as a plugin of Rowgate."""
