// People, articles, and what readers do with them.
migrate((app) => {
  const stamps = [
    { name: "created", type: "autodate", onCreate: true },
    { name: "updated", type: "autodate", onCreate: true, onUpdate: true },
  ];
  const relation = (name, target, options) => ({ name, type: "relation", collectionId: target.id, maxSelect: 1, ...options });
  const text = (name, max, options) => ({ name, type: "text", max, ...options });
  const save = (given) => {
    const collection = new Collection({ type: "base", ...given });
    app.save(collection);
    return collection;
  };

  const users = app.findCollectionByNameOrId("users");
  users.fields.add(new TextField({ name: "username", required: true, max: 60 }));
  users.fields.add(new TextField({ name: "bio", max: 2000 }));
  users.fields.add(new URLField({ name: "image" }));
  users.addIndex("user_username", true, "username", "");
  app.save(users);

  const author = relation("author", users, { required: true, cascadeDelete: true });
  const own = "@request.auth.id != '' && author = @request.auth.id";
  const rules = { listRule: "", viewRule: "", updateRule: own, deleteRule: own };
  const articles = save({
    name: "articles",
    ...rules,
    createRule: "@request.auth.id != '' && @request.body.author = @request.auth.id",
    fields: [
      author,
      text("slug", 240, { required: true }),
      text("title", 200, { required: true }),
      text("description", 1000, { required: true }),
      text("body", 200000, { required: true }),
      { name: "tags", type: "json", maxSize: 5000 },
      ...stamps,
    ],
    indexes: [
      "CREATE UNIQUE INDEX article_slug ON articles (slug)",
      "CREATE INDEX article_newest ON articles (created DESC, id DESC)",
      "CREATE INDEX article_newest_of ON articles (author, created DESC, id DESC)",
    ],
  });
  const article = relation("article", articles, { required: true, cascadeDelete: true });
  const reader = relation("reader", users, { required: true, cascadeDelete: true });
  save({
    name: "comments",
    ...rules,
    fields: [author, article, text("body", 20000, { required: true }), ...stamps],
    indexes: ["CREATE INDEX comment_newest ON comments (article, created DESC)"],
  });
  save({
    name: "favorites",
    fields: [reader, article],
    indexes: [
      "CREATE UNIQUE INDEX favorite_once ON favorites (reader, article)",
      "CREATE INDEX favorite_article ON favorites (article)",
    ],
  });
  save({
    name: "follows",
    fields: [reader, relation("author", users, { required: true, cascadeDelete: true })],
    indexes: ["CREATE UNIQUE INDEX follow_once ON follows (reader, author)"],
  });
}, (app) => {
  for (const name of ["follows", "favorites", "comments", "articles"]) {
    app.delete(app.findCollectionByNameOrId(name));
  }
});
