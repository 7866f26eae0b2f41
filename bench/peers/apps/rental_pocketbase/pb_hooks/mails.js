// Mails to those whom bookings are for, in the language of the item's manual where there is such a mail.
const SUBJECTS = {
  en: { booked: (item) => `${item} is reserved for you`, cancelled: (item) => `Cancelled: ${item}` },
  de: { booked: (item) => `${item} ist für Sie reserviert`, cancelled: (item) => `Storniert: ${item}` },
};
const WHOLE = ["JPY"];

function shown(moment) {
  return `${moment.slice(0, 16)} UTC`;
}

function priceOf(booking) {
  const currency = booking.get("currency");
  const digits = WHOLE.includes(currency) ? 0 : 2;
  return `${(booking.getInt("price") / 10 ** digits).toFixed(digits)} ${currency}`;
}

function send(app, kind, booking) {
  if (!booking.get("contact")) {
    return;
  }
  const contact = app.findRecordById("contacts", booking.get("contact"));
  const item = app.findRecordById("items", booking.get("item"));
  const [manual] = item.getString("manual").split("-");
  const language = manual in SUBJECTS ? manual : "en";
  const html = $template.loadFiles(`${__hooks}/mails/layout.html`, `${__hooks}/mails/${kind}.${language}.html`).render({
    name: contact.get("first_name"),
    item: item.get("name"),
    starts: shown(booking.getString("starts_at")),
    ends: shown(booking.getString("ends_at")),
    price: priceOf(booking),
  });
  const { senderAddress: address, senderName: name } = app.settings().meta;
  // The text is made of the HTML.
  const message = new MailerMessage({
    from: { address, name },
    to: [{ address: contact.getString("email") }],
    subject: SUBJECTS[language][kind](item.get("name")),
    html,
  });
  try {
    app.newMailClient().send(message);
  } catch (error) {
    // The booking stands, whatever becomes of the mail.
    app.logger().error("A mail was not sent", "booking", booking.id, "error", String(error));
  }
}

module.exports = { send };
