// What the handlers share: each runs by itself, and loads it.
const DAY = 24 * 60 * 60;
const TRANSITIONS = { reserved: ["lent", "cancelled"], lent: ["returned"], returned: [], cancelled: [] };

function organizationOf(app, caller) {
  if (caller.collection().name === "partners") {
    return caller.get("organization");
  }
  return app.findFirstRecordByFilter("organizations", "members.id ?= {:id}", { id: caller.id }).id;
}

function refuse(field, message) {
  throw new BadRequestError("", { [field]: new ValidationError("refused", message) });
}

function setDefaults(record, values) {
  for (const [name, value] of Object.entries(values)) {
    record.set(name, record.get(name) || value);
  }
}

// Does the rest of a write in one transaction with what is checked for it: SQLite lets one write at a time.
function inTransaction(e, before = () => {}) {
  const outside = e.app;
  try {
    outside.runInTransaction((app) => {
      e.app = app;
      before(app, e.record);
      e.next();
    });
  } finally {
    e.app = outside;
  }
}

function nameItem(app, item) {
  if (item.get("slug")) {
    return;
  }
  const plain = item.getString("name").normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  const slug = plain.slice(0, 190).replace(/-$/, "") || "item";
  const taken = app.findRecordsByFilter("items", "slug = {:slug}", "", 1, 0, { slug }).length > 0;
  item.set("slug", taken ? `${slug}-${$security.randomStringWithAlphabet(6, "0123456789abcdef")}` : slug);
}

function checkItem(item) {
  if (item.get("opens_at") >= item.get("closes_at")) {
    refuse("closes_at", "Must be after opens_at.");
  }
}

function checkBooking(app, booking) {
  const item = app.findRecordById("items", booking.get("item"));
  const contact = booking.get("contact");
  if (item.get("organization") !== booking.get("organization")) {
    refuse("item", "Is of another organization.");
  }
  if (contact && app.findRecordById("contacts", contact).get("organization") !== booking.get("organization")) {
    refuse("contact", "Is of another organization.");
  }
  const before = booking.isNew() ? "" : booking.original().get("state");
  const state = booking.get("state");
  if (before && state !== before && !TRANSITIONS[before].includes(state)) {
    refuse("state", `A booking cannot go from ${before} to ${state}.`);
  }
  price(booking, item);
  keepApart(app, booking);
}

function price(booking, item) {
  const times = ["starts_at", "ends_at"];
  if (!booking.isNew() && times.every((name) => booking.getString(name) === booking.original().getString(name))) {
    return;
  }
  const [starts, ends] = times.map((name) => booking.getDateTime(name).unix());
  if (ends <= starts || ends - starts < item.getInt("shortest_minutes") * 60) {
    refuse("ends_at", "Is shorter than the item is lent.");
  }
  const days = Math.ceil((ends - starts) / DAY);
  booking.set("days", days);
  booking.set("price", item.getInt("daily_price") * days);
  booking.set("currency", item.get("currency"));
}

function keepApart(app, booking) {
  const [starts, ends] = [booking.getString("starts_at"), booking.getString("ends_at")];
  const others = "item = {:item} && id != {:id} && state != 'cancelled' && starts_at < {:ends} && ends_at > {:starts}";
  const given = { item: booking.get("item"), id: booking.id, starts, ends };
  if (booking.get("state") !== "cancelled" && app.findRecordsByFilter("bookings", others, "", 1, 0, given).length) {
    throw new ApiError(409, "The item is booked at that time.");
  }
}

function numberInvoice(app, invoice) {
  const id = invoice.get("organization");
  const [last] = app.findRecordsByFilter("invoices", "organization = {:id}", "-number", 1, 0, { id });
  invoice.set("number", last ? last.getInt("number") + 1 : 1);
}

function checkInvoice(app, invoice) {
  const booking = invoice.get("booking");
  if (booking && app.findRecordById("bookings", booking).get("organization") !== invoice.get("organization")) {
    refuse("booking", "Is of another organization.");
  }
}

module.exports = { checkBooking, checkInvoice, checkItem, inTransaction, nameItem, numberInvoice, organizationOf, setDefaults };
