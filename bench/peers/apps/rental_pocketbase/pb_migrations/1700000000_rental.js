// Organizations, their contacts, items, who books them, and invoices: what is stored, and who sees it.
migrate((app) => {
  const users = app.findCollectionByNameOrId("users");
  const relation = (name, target, options) => ({ name, type: "relation", collectionId: target.id, maxSelect: 1, ...options });
  const text = (name, max, options) => ({ name, type: "text", max, ...options });
  const number = (name, options) => ({ name, type: "number", ...options });
  // Amounts are in the smallest unit of their currency, as numbers are no decimals here.
  const money = (name, currency, options) => [
    number(name, { onlyInt: true, min: 0, ...options }),
    {
      name: currency, type: "select", maxSelect: 1, ...options,
      values: ["CHF", "DKK", "EUR", "GBP", "JPY", "NOK", "PLN", "SEK", "USD"],
    },
  ];
  const timeOfDay = (name) => text(name, 5, { required: true, pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" });
  const stamps = [
    { name: "created", type: "autodate", onCreate: true },
    { name: "updated", type: "autodate", onCreate: true, onUpdate: true },
  ];
  const save = (given) => {
    const collection = new Collection({ type: "base", ...given });
    app.save(collection);
    return collection;
  };

  const organizations = save({
    name: "organizations",
    fields: [text("name", 100, { required: true }), relation("members", users, { maxSelect: 10000 })],
  });
  const organization = relation("organization", organizations, { required: true, cascadeDelete: true });

  // The program of a partner: its token is made by impersonation, which is no sign-in.
  save({ name: "partners", type: "auth", fields: [organization], passwordAuth: { enabled: false } });

  const user = "@request.auth.collectionName = 'users'";
  const member = `${user} && organization.members.id ?= @request.auth.id`;
  const unset = (...names) => names.map((name) => `@request.body.${name}:isset = false`).join(" && ");
  const unchanged = (...names) => names.map((name) => `@request.body.${name}:changed = false`).join(" && ");
  // Hooks set the organization of what is created after the rule is asked.
  const rules = (...set) => ({
    listRule: member,
    viewRule: member,
    createRule: `${user} && ${unset("organization", ...set)}`,
    updateRule: `${member} && ${unset("organization", ...set)}`,
    deleteRule: member,
  });
  const newest = (name) => `CREATE INDEX ${name}_newest ON ${name}s (organization, created DESC, id DESC)`;

  const contacts = save({
    name: "contacts",
    ...rules(),
    fields: [
      organization,
      text("first_name", 100, { required: true }),
      text("last_name", 100, { required: true }),
      { name: "email", type: "email", required: true },
      ...stamps,
    ],
    indexes: [newest("contact"), "CREATE UNIQUE INDEX contact_email ON contacts (organization, email COLLATE NOCASE)"],
  });

  const shown = `(published = true && @request.auth.collectionName != 'partners') || (${member})`;
  const items = save({
    name: "items",
    ...rules(),
    listRule: shown,
    viewRule: shown,
    fields: [
      organization,
      text("name", 200, { required: true }),
      text("slug", 200, { required: true, pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" }),
      text("description", 20000),
      { name: "published", type: "bool" },
      ...money("daily_price", "currency", { required: true }),
      number("weight_kg", { min: 0 }),
      text("color", 7, { pattern: "^#[0-9a-f]{6}$" }),
      text("made_in", 2, { pattern: "^[A-Z]{2}$" }),
      text("manual", 10, { required: true, pattern: "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$" }),
      { name: "bought_on", type: "date" },
      { name: "location", type: "geoPoint" },
      timeOfDay("opens_at"),
      timeOfDay("closes_at"),
      number("shortest_minutes", { onlyInt: true, min: 0 }),
      ...stamps,
    ],
    indexes: [
      newest("item"),
      "CREATE UNIQUE INDEX item_slug ON items (slug)",
      "CREATE INDEX item_catalogue ON items (created DESC, id DESC) WHERE published = TRUE",
      "CREATE INDEX item_price ON items (daily_price, id)",
    ],
  });

  const ofPartner = "@request.auth.collectionName = 'partners' && organization = @request.auth.organization";
  save({
    name: "catalogue",
    type: "view",
    listRule: ofPartner,
    viewRule: ofPartner,
    viewQuery: "SELECT id, name, slug, daily_price, currency, location, organization FROM items WHERE published = TRUE",
  });

  const workedOut = ["price", "currency", "days"];
  const byPartner = `@request.auth.collectionName = 'partners' && item.organization = @request.auth.organization && item.published = true`;
  const bookings = save({
    name: "bookings",
    ...rules(...workedOut),
    createRule: `(${user} || (${byPartner} && ${unset("contact", "state")})) && ${unset("organization", ...workedOut)}`,
    updateRule: `${member} && ${unset("organization", ...workedOut)} && ${unchanged("item")}`,
    fields: [
      organization,
      relation("item", items, { required: true, cascadeDelete: true }),
      relation("contact", contacts),
      { name: "starts_at", type: "date", required: true },
      { name: "ends_at", type: "date", required: true },
      { name: "state", type: "select", required: true, maxSelect: 1, values: ["reserved", "lent", "returned", "cancelled"] },
      ...money("price", "currency"),
      number("days", { onlyInt: true }),
      ...stamps,
    ],
    indexes: [
      newest("booking"),
      "CREATE INDEX booking_item ON bookings (item, starts_at) WHERE state != 'cancelled'",
      "CREATE INDEX booking_contact ON bookings (contact)",
    ],
  });

  save({
    name: "invoices",
    ...rules("number"),
    updateRule: `${member} && ${unset("organization", "number")} && ${unchanged("booking", "total", "currency")}`,
    // Numbers have no gaps, so that none is removed.
    deleteRule: null,
    fields: [
      organization,
      number("number", { required: true, onlyInt: true }),
      relation("booking", bookings),
      { name: "due_on", type: "date", required: true },
      ...money("total", "currency", { required: true }),
      ...stamps,
    ],
    indexes: [newest("invoice"), "CREATE UNIQUE INDEX invoice_number ON invoices (organization, number)"],
  });
}, (app) => {
  for (const name of ["invoices", "bookings", "catalogue", "items", "contacts", "partners", "organizations"]) {
    app.delete(app.findCollectionByNameOrId(name));
  }
});
