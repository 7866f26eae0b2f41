"""OAuth sign-in through GitHub, Google and Microsoft."""
