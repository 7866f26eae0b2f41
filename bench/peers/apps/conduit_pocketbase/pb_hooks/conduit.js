// What the handlers share: each runs by itself, and loads it.
class Refused {
  constructor(status, errors) {
    this.status = status;
    this.errors = errors;
  }
}

// Runs a handler and answers what it refuses in the shape of RealWorld.
function answering(e, handler) {
  try {
    return handler();
  } catch (error) {
    if (error instanceof Refused) {
      return e.json(error.status, { errors: error.errors });
    }
    // What a collection refuses says "email: Value must be unique.; title: …".
    const told = error.value?.error?.() || "";
    if (!told.includes(": ")) {
      throw error;
    }
    const fields = told.split("; ").map((each) => each.split(": "));
    return e.json(422, { errors: Object.fromEntries(fields.map(([name, ...text]) => [name, [text.join(": ")]])) });
  }
}

function callerOrNobody(e) {
  const [scheme, token] = e.request.header.get("Authorization").split(" ");
  if (!scheme) {
    return null;
  }
  try {
    return scheme === "Token" ? e.app.findAuthRecordByToken(token, "auth") : refuse(401, "Authentication required");
  } catch (_) {
    return refuse(401, "Authentication required");
  }
}

function caller(e) {
  return callerOrNobody(e) || refuse(401, "Authentication required");
}

function refuse(status, text) {
  throw new Refused(status, { body: [text] });
}

function given(e, name, required = []) {
  const body = e.requestInfo().body[name];
  if (!body || typeof body !== "object") {
    throw new Refused(422, { [name]: ["Is required."] });
  }
  for (const each of required) {
    if (!body[each]) {
      throw new Refused(422, { [each]: ["Is required."] });
    }
  }
  return body;
}

function first(app, collection, field, value) {
  try {
    return app.findFirstRecordByData(collection, field, value);
  } catch (_) {
    return refuse(404, "Not found");
  }
}

function own(record, user) {
  return record.get("author") === user.id ? record : refuse(403, "It is somebody else's");
}

function accountOf(user) {
  const shown = Object.fromEntries(["username", "bio", "image"].map((name) => [name, user.get(name) || null]));
  return { user: { ...shown, email: user.email(), token: user.newAuthToken() } };
}

function profileOf(app, user, me) {
  const where = "reader = {:reader} && author = {:author}";
  const following = !!me && app.findRecordsByFilter("follows", where, "", 1, 0, { reader: me.id, author: user.id }).length > 0;
  return { username: user.get("username"), bio: user.get("bio") || null, image: user.get("image") || null, following };
}

function withAuthor(app, record, me, names) {
  const shown = Object.fromEntries(names.map((name) => [name, record.get(name)]));
  const moment = (name) => record.getString(name).replace(" ", "T");
  const author = profileOf(app, app.findRecordById("users", record.get("author")), me);
  return { ...shown, createdAt: moment("created"), updatedAt: moment("updated"), author };
}

function articleOf(app, article, me) {
  const favorites = app.findAllRecords("favorites", $dbx.hashExp({ article: article.id }));
  return {
    ...withAuthor(app, article, me, ["slug", "title", "description", "body"]),
    tagList: JSON.parse(article.getString("tags") || "[]"),
    favorited: !!me && favorites.some((each) => each.get("reader") === me.id),
    favoritesCount: favorites.length,
  };
}

function nameArticle(article) {
  const plain = article.getString("title").normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  article.set("slug", `${plain.slice(0, 200) || "article"}-${$security.randomStringWithAlphabet(8, "0123456789abcdef")}`);
}

function page(e, me, conditions, parameters) {
  const query = e.request.url.query();
  const take = Number(query.get("limit") || 20);
  const skip = Number(query.get("offset") || 0);
  if (!(take >= 0 && take <= 100 && skip >= 0)) {
    throw new Refused(422, { limit: ["From 0 to 100."] });
  }
  const where = conditions.join(" && ");
  const found = e.app.findRecordsByFilter("articles", where, "-created,-id", take || -1, skip, parameters);
  const count = e.app.findRecordsByFilter("articles", where, "", 0, 0, parameters).length;
  const articles = (take ? found : []).map((each) => articleOf(e.app, each, me));
  articles.forEach((each) => delete each.body);
  return e.json(200, { articles, articlesCount: count });
}

module.exports = {
  accountOf, answering, articleOf, caller, callerOrNobody, first, given, nameArticle, own, page, profileOf, refuse, withAuthor,
};
