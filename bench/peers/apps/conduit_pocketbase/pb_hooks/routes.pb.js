// The routes of RealWorld.
routerAdd("POST", "/api/users", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const { email, username, password } = conduit.given(e, "user", ["email", "username", "password"]);
    const user = new Record(e.app.findCollectionByNameOrId("users"), { email, username });
    user.setPassword(password);
    e.app.save(user);
    return e.json(201, conduit.accountOf(user));
  });
});

routerAdd("POST", "/api/users/login", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const { email, password } = conduit.given(e, "user", ["email", "password"]);
    let user = null;
    try {
      user = e.app.findAuthRecordByEmail("users", email);
    } catch (_) {
      conduit.refuse(401, "Invalid email or password");
    }
    return user.validatePassword(password) ? e.json(200, conduit.accountOf(user)) : conduit.refuse(401, "Invalid email or password");
  });
});

routerAdd("GET", "/api/user", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => e.json(200, conduit.accountOf(conduit.caller(e))));
});

routerAdd("PUT", "/api/user", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const user = conduit.caller(e);
    const { password, ...rest } = conduit.given(e, "user");
    for (const name of ["email", "username", "bio", "image"].filter((each) => each in rest)) {
      user.set(name, rest[name]);
    }
    if (password) {
      user.setPassword(password);
    }
    e.app.save(user);
    return e.json(200, conduit.accountOf(user));
  });
});

routerAdd("GET", "/api/profiles/{username}", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.callerOrNobody(e);
    const user = conduit.first(e.app, "users", "username", e.request.pathValue("username"));
    return e.json(200, { profile: conduit.profileOf(e.app, user, me) });
  });
});

routerAdd("POST", "/api/profiles/{username}/follow", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.caller(e);
    const user = conduit.first(e.app, "users", "username", e.request.pathValue("username"));
    if (!conduit.profileOf(e.app, user, me).following) {
      e.app.save(new Record(e.app.findCollectionByNameOrId("follows"), { reader: me.id, author: user.id }));
    }
    return e.json(200, { profile: conduit.profileOf(e.app, user, me) });
  });
});

routerAdd("DELETE", "/api/profiles/{username}/follow", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.caller(e);
    const user = conduit.first(e.app, "users", "username", e.request.pathValue("username"));
    e.app.findAllRecords("follows", $dbx.hashExp({ reader: me.id, author: user.id })).forEach((each) => e.app.delete(each));
    return e.json(200, { profile: conduit.profileOf(e.app, user, me) });
  });
});

routerAdd("GET", "/api/articles", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const query = e.request.url.query();
    const filters = {
      author: "author.username = {:author}",
      favorited: "favorites_via_article.reader.username ?= {:favorited}",
      tag: "tags ?~ {:tag}",
    };
    const asked = Object.keys(filters).filter((name) => query.has(name));
    const parameters = Object.fromEntries(asked.map((name) => [name, name === "tag" ? `"${query.get(name)}"` : query.get(name)]));
    return conduit.page(e, conduit.callerOrNobody(e), ["id != ''", ...asked.map((name) => filters[name])], parameters);
  });
});

routerAdd("GET", "/api/articles/feed", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.caller(e);
    return conduit.page(e, me, ["author.follows_via_author.reader ?= {:me}"], { me: me.id });
  });
});

routerAdd("POST", "/api/articles", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.caller(e);
    const { title, description, body, tagList = [] } = conduit.given(e, "article", ["title", "description", "body"]);
    const tags = [...new Set(tagList)].sort();
    const article = new Record(e.app.findCollectionByNameOrId("articles"), { author: me.id, title, description, body, tags });
    conduit.nameArticle(article);
    e.app.save(article);
    return e.json(201, { article: conduit.articleOf(e.app, article, me) });
  });
});

routerAdd("GET", "/api/articles/{slug}", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.callerOrNobody(e);
    return e.json(200, { article: conduit.articleOf(e.app, conduit.first(e.app, "articles", "slug", e.request.pathValue("slug")), me) });
  });
});

routerAdd("PUT", "/api/articles/{slug}", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.caller(e);
    const article = conduit.own(conduit.first(e.app, "articles", "slug", e.request.pathValue("slug")), me);
    const changed = conduit.given(e, "article");
    for (const name of ["title", "description", "body"].filter((each) => each in changed)) {
      article.set(name, changed[name]);
    }
    if (changed.tagList) {
      article.set("tags", [...new Set(changed.tagList)].sort());
    }
    if (changed.title) {
      conduit.nameArticle(article);
    }
    e.app.save(article);
    return e.json(200, { article: conduit.articleOf(e.app, article, me) });
  });
});

routerAdd("DELETE", "/api/articles/{slug}", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    e.app.delete(conduit.own(conduit.first(e.app, "articles", "slug", e.request.pathValue("slug")), conduit.caller(e)));
    return e.noContent(204);
  });
});

routerAdd("POST", "/api/articles/{slug}/favorite", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.caller(e);
    const article = conduit.first(e.app, "articles", "slug", e.request.pathValue("slug"));
    if (!conduit.articleOf(e.app, article, me).favorited) {
      e.app.save(new Record(e.app.findCollectionByNameOrId("favorites"), { reader: me.id, article: article.id }));
    }
    return e.json(200, { article: conduit.articleOf(e.app, article, me) });
  });
});

routerAdd("DELETE", "/api/articles/{slug}/favorite", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.caller(e);
    const article = conduit.first(e.app, "articles", "slug", e.request.pathValue("slug"));
    const mine = $dbx.hashExp({ reader: me.id, article: article.id });
    e.app.findAllRecords("favorites", mine).forEach((each) => e.app.delete(each));
    return e.json(200, { article: conduit.articleOf(e.app, article, me) });
  });
});

routerAdd("GET", "/api/articles/{slug}/comments", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.callerOrNobody(e);
    const article = conduit.first(e.app, "articles", "slug", e.request.pathValue("slug"));
    const found = e.app.findRecordsByFilter("comments", "article = {:id}", "-created", 100, 0, { id: article.id });
    return e.json(200, { comments: found.map((each) => conduit.withAuthor(e.app, each, me, ["id", "body"])) });
  });
});

routerAdd("POST", "/api/articles/{slug}/comments", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.caller(e);
    const article = conduit.first(e.app, "articles", "slug", e.request.pathValue("slug"));
    const { body } = conduit.given(e, "comment", ["body"]);
    const comment = new Record(e.app.findCollectionByNameOrId("comments"), { author: me.id, article: article.id, body });
    e.app.save(comment);
    return e.json(200, { comment: conduit.withAuthor(e.app, comment, me, ["id", "body"]) });
  });
});

routerAdd("DELETE", "/api/articles/{slug}/comments/{id}", (e) => {
  const conduit = require(`${__hooks}/conduit.js`);
  return conduit.answering(e, () => {
    const me = conduit.caller(e);
    const article = conduit.first(e.app, "articles", "slug", e.request.pathValue("slug"));
    const comment = conduit.own(conduit.first(e.app, "comments", "id", e.request.pathValue("id")), me);
    if (comment.get("article") !== article.id) {
      conduit.refuse(404, "Not found");
    }
    e.app.delete(comment);
    return e.noContent(204);
  });
});

routerAdd("GET", "/api/tags", (e) => {
  const tags = arrayOf(new DynamicModel({ tag: "" }));
  e.app.db().newQuery("SELECT DISTINCT value AS tag FROM articles, json_each(articles.tags) ORDER BY value LIMIT 1000").all(tags);
  return e.json(200, { tags: tags.map((each) => each.tag) });
});
