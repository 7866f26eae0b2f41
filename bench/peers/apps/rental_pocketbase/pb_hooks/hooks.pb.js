// What precedes and follows writes.
onRecordCreateRequest((e) => {
  if (e.auth && !e.hasSuperuserAuth()) {
    e.record.set("organization", require(`${__hooks}/rental.js`).organizationOf(e.app, e.auth));
  }
  e.next();
}, "contacts", "items", "bookings", "invoices");

onRecordCreate((e) => {
  const rental = require(`${__hooks}/rental.js`);
  rental.setDefaults(e.record, { manual: "en", opens_at: "09:00", closes_at: "18:00", shortest_minutes: 60 });
  rental.inTransaction(e, rental.nameItem);
}, "items");

onRecordValidate((e) => {
  e.next();
  require(`${__hooks}/rental.js`).checkItem(e.record);
}, "items");

onRecordCreate((e) => {
  const rental = require(`${__hooks}/rental.js`);
  rental.setDefaults(e.record, { state: "reserved" });
  rental.inTransaction(e);
}, "bookings");

onRecordUpdate((e) => require(`${__hooks}/rental.js`).inTransaction(e), "bookings");

onRecordValidate((e) => {
  e.next();
  require(`${__hooks}/rental.js`).checkBooking(e.app, e.record);
}, "bookings");

onRecordCreate((e) => {
  const rental = require(`${__hooks}/rental.js`);
  rental.inTransaction(e, rental.numberInvoice);
}, "invoices");

onRecordValidate((e) => {
  e.next();
  require(`${__hooks}/rental.js`).checkInvoice(e.app, e.record);
}, "invoices");

onRecordAfterCreateSuccess((e) => {
  e.next();
  if (e.record.get("state") === "reserved") {
    require(`${__hooks}/mails.js`).send(e.app, "booked", e.record);
  }
}, "bookings");

onRecordAfterUpdateSuccess((e) => {
  e.next();
  if (e.record.get("state") === "cancelled" && e.record.original().get("state") !== "cancelled") {
    require(`${__hooks}/mails.js`).send(e.app, "cancelled", e.record);
  }
}, "bookings");

// Partners see what the catalogue shows, and of their bookings the id alone.
onRecordEnrich((e) => {
  e.record.hide("organization");
  e.next();
}, "catalogue");

onRecordEnrich((e) => {
  if (e.requestInfo.auth?.collection().name === "partners") {
    e.record.hide(...e.record.collection().fields.fieldNames().filter((name) => name !== "id"));
  }
  e.next();
}, "bookings");
