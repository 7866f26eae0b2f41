"""Mails to those whom bookings are for."""

from django.core.mail import send_mail
from django.template.loader import render_to_string

SUBJECTS = {
    ("booked", "en"): "{} is reserved for you",
    ("booked", "de"): "{} ist für Sie reserviert",
    ("cancelled", "en"): "Cancelled: {}",
    ("cancelled", "de"): "Storniert: {}",
}


def send(kind, booking):
    """Tell the contact of a booking of it, in the language of the item's manual where there is such a mail."""
    if booking.contact is None:
        return
    manual = booking.item.manual.partition("-")[0]
    language = manual if (kind, manual) in SUBJECTS else "en"
    text, html = (render_to_string(f"mails/{kind}.{language}.{form}", {"booking": booking}) for form in ("txt", "html"))
    subject = SUBJECTS[kind, language].format(booking.item.name)
    send_mail(subject, text, None, [booking.contact.email], html_message=html)
