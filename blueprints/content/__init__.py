"""The routes of chats, documents, files and saved views."""
