"""What turns a commit into a release: its number, its text, its files and what they are made of."""


class PublishingError(Exception):
    """A release that cannot be made; the text says why, in one sentence."""
