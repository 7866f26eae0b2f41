"""Things that are lent for money: items, bookings and invoices."""
