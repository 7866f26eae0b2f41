"""Microsoft Teams: the bot, change notifications of Graph, and the tab."""
