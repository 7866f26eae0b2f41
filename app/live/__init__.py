"""What is heard as it happens: streams of server-sent events, which resume where they were broken off."""
