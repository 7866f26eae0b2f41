"""What the routes of chats, documents, notifications, Teams and saved views read and answer."""
