"""The settings of chats, providers and answers."""

from config import Setting

SETTINGS = (Setting("private_provider_urls", False, "allow model providers at private and loopback addresses"),)
