"""The routes of the service itself: health, metrics, the studio, the mailbox."""
