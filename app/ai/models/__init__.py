"""Chat conversations, what they produce, and the provider chain that answers them."""
